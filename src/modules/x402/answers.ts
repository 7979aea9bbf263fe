import { answer } from '../../kernel/answers.ts'

/* The shapes of x402, version 2, as `kernel/x402/wire.ts` has them. */

const { text, bool, integer, raw, address, optional, list, record, words } = answer

/** What is to be paid, to whom and where. */
export const TERMS = record({
  scheme: words('exact'),
  network: text,
  amount: raw,
  asset: text,
  payTo: address,
  maxTimeoutSeconds: integer,
})

export const SHOP = record({
  version: integer,
  x402Version: integer,
  resources: list(text),
  items: list(
    record({
      resource: text,
      type: words('http'),
      method: words('POST'),
      x402Version: integer,
      body: record({ action: text }),
      accepts: list(TERMS),
    }),
  ),
})

export const SUPPORTED = record({
  kinds: list(record({ x402Version: integer, scheme: words('exact'), network: text })),
  extensions: list(text),
  signers: answer.map(list(text)),
})

export const VERIFIED = record({ isValid: bool, invalidReason: optional(text), payer: optional(address) })

export const SETTLED = record({
  success: bool,
  transaction: text,
  network: text,
  payer: optional(address),
  errorReason: optional(text),
  errorMessage: optional(text),
})

/** A call to the facilitator: a payment, and the terms it should meet. */
export const FACILITATED = record({
  paymentPayload: record({
    x402Version: integer,
    payload: record({ block: answer.object }),
    accepted: answer.object,
  }),
  paymentRequirements: TERMS,
})
