import { answer } from '../../kernel/answers.ts'

/* The shapes of x402, version 2, as declared in `kernel/x402/wire.ts`. */

const { text, bool, integer, raw, address, optional, list, record, words } = answer

/** The terms of a payment: how much, to whom, on which network. */
export const TERMS = record({
  scheme: words('exact'),
  network: text,
  amount: raw,
  asset: text,
  payTo: address,
  maxTimeoutSeconds: integer,
})

/** An action for sale: its URL, its price and its fields. */
const OFFER = {
  resource: text,
  type: words('http'),
  x402Version: integer,
  description: text,
  mimeType: text,
  accepts: list(TERMS),
  extensions: record({ bazaar: record({ info: answer.object, schema: answer.object }) }),
}

export const SHOP = record({
  version: integer,
  x402Version: integer,
  resources: list(text),
  items: list(record({ ...OFFER, method: words('POST'), body: record({ action: text }) })),
})

export const DISCOVERED = record({
  x402Version: integer,
  items: list(record({ ...OFFER, lastUpdated: text })),
  pagination: record({ limit: integer, offset: integer, total: integer }),
})

export const FACILITATOR = record({
  x402Version: integer,
  scheme: words('exact'),
  asset: text,
  networks: list(text),
  url: text,
  supported: text,
  verify: text,
  settle: text,
  resources: text,
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

/** The body of a call to the facilitator: a payment, and the terms it should meet. */
export const FACILITATED = record({
  paymentPayload: record({
    x402Version: integer,
    payload: record({ block: answer.object }),
    accepted: answer.object,
  }),
  paymentRequirements: TERMS,
})
