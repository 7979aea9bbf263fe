import { answer } from '../../kernel/answers.ts'
import { readFreeFlag } from '../../kernel/free-field.ts'
import { badField } from '../../kernel/errors.ts'
import type { Labelled, Reading } from '../../kernel/resource/field.ts'
import { asJson, asked, field, membersControl, readList, url } from '../../kernel/resource/fields.ts'
import { type Wrong, attempt, refuseIfAny } from '../../kernel/resource/wrong-fields.ts'
import { type JsonObject, textOf } from '../../kernel/shape.ts'
import { readUrl } from '../../kernel/shown-fields.ts'
import { readPrice, readTotal } from './price-fields.ts'
import {
  METADATA_BYTES_MAX,
  METADATA_KEYS_MAX,
  PLANS_MAX,
  readAddress,
  readCurrency,
  readEvents,
  readLifetime,
  readMetadata,
  readPlan,
  readSecret,
  refuseUnproved,
} from './wire-fields.ts'

/* Fields of resources that make checkouts. Their values are read like those of a checkout. */

declare module '../../kernel/resource/field.ts' {
  interface Rules {
    /** Currencies that prices may be in, beside nano. */
    currencies: readonly string[]
    /** Whether this gateway makes proofs of payments. */
    makesProofs: boolean
    /** Whether the account may have a wallet generated for each checkout. */
    hasWallets: boolean
  }
}

/** The currency of prices. */
export function currency({ example, set, ...labelled }: Labelled & { set: 'always' | 'once'; example: string }) {
  return field<string>({
    set,
    personal: 'no: a code of a currency',
    example,
    schema: answer.text,
    takes: answer.text,
    control: {
      as: 'choice',
      options: ({ currencies = [] }) => ['NANO', ...currencies].map((code) => [code, code]),
      ...labelled,
    },
    read: (value, { rules: { currencies = [] } }) => readCurrency(value, currencies),
  })
}

/** The address that is paid; null for the one where the account's money goes. Usernames are resolved before this reads it. */
export function payout({ example, ...labelled }: Labelled & { example: string }) {
  return field<string | null>({
    column: 'string | null',
    personal: 'no: an address of the public ledger, which proves where money went',
    example,
    schema: answer.orNull(answer.address),
    takes: answer.orNull(answer.text),
    control: { as: 'text', formText: 'must be a Nano address or an @name', ...labelled },
    read: (value) => readAddress(value) ?? null,
  })
}

/** The price, or the sum of items and shipping. */
export function amount(labelled: Labelled) {
  return field<string | null>({
    column: 'string | null',
    personal: true,
    erased: null,
    schema: answer.orNull(answer.text),
    takes: answer.text,
    control: { as: 'text', decimal: true, formText: 'must be an amount such as 12.50', ...labelled },
    read(value, { others: { currency: known, lineItems, shipping, plans } }) {
      const others = { line_items: lineItems, shipping, ...((plans as Plan[] | undefined)?.length && { plans }) }
      // An unknown currency gets its own error.
      return typeof known === 'string' ? (readTotal({ amount: value, ...others }, known)?.text ?? null) : ''
    },
  })
}

/** A price in the currency of another field, as plain decimal text. */
export function price({ in: other, ...labelled }: Labelled & { in: string }) {
  return field<string>({
    isRequired: true,
    schema: answer.text,
    takes: answer.oneOf(answer.text, answer.number),
    control: { as: 'text', decimal: true, formText: 'must be a price', ...labelled },
    read(value, { path, others }) {
      const known = others[other]
      // The currency is wrong and has its own error, so the price is not checked.
      if (typeof known !== 'string') return ''
      const read = readPrice(path, value, known)
      if (!read || read.kind === 'wildcards') throw badField(path, `${path} must be a price.`, 'invalid_amount')
      return read.text
    },
  })
}

export type Plan = { title: string; value: string; discount: number | false }

const PLAN = answer.record({
  title: answer.text,
  value: answer.text,
  discount: answer.oneOf(answer.number, answer.bool),
})

/** Prices to choose from, in the currency of the same resource. */
export const plans = (labelled: Labelled & { add: string }) =>
  field<Plan[], string>({
    ...asJson<Plan[]>(),
    personal: true,
    erased: '[]',
    schema: answer.list(PLAN),
    takes: answer.list(PLAN),
    control: {
      as: 'rows',
      columns: {
        title: { control: { as: 'text', label: 'Name' } },
        value: { control: { as: 'text', label: 'Price', decimal: true } },
        discount: { control: { as: 'text', label: '% off', decimal: true } },
      },
      max: PLANS_MAX,
      one: 'Variant',
      ...labelled,
    },
    read(value, { path, others: { currency: known } }) {
      const wrong: Wrong[] = []
      const read = readList(path, value, PLANS_MAX, 'plans').flatMap((plan, at) => {
        const place = { field: `${path}[${at}]`, label: `Plan ${at + 1}` }
        // A row that was left empty in the form; prices of an unknown currency are not judged either.
        if (plan === undefined || typeof known !== 'string') return []
        return attempt(wrong, place, () => readPlan(place.field, plan, known)) ?? []
      })
      refuseIfAny(wrong)
      return read.map(({ title, price: { text }, discount }) => ({ title, value: text, discount }))
    },
  })

export const metadata = () =>
  field<JsonObject, string>({
    control: membersControl({
      label: 'Metadata',
      hint: 'Your own notes for programs: webhooks return them. Values that are not text are shown as JSON.',
      like: ['order', 'A-17'],
      max: METADATA_KEYS_MAX,
      one: 'Entry',
      add: 'Add an entry',
      formText: `takes up to ${METADATA_KEYS_MAX} entries, and ${METADATA_BYTES_MAX} bytes`,
      unset: {},
    }),
    ...asJson<JsonObject>(),
    personal: true,
    erased: '{}',
    schema: answer.object,
    takes: answer.object,
    read: readMetadata,
  })

/** The module that sends webhooks decides which addresses are allowed, for every scheme and port. */
export const webhookUrl = (labelled: Labelled) => ({
  ...url(labelled),
  read: (value: unknown, { path, others: { webhook } }: Reading) =>
    readUrl(value === webhook ? 'webhook' : path, value, { plainHttpAllowed: true }),
})

/** Whether webhooks carry a proof of the payment. One that was asked for before the operator turned proofs off is not a new request. */
export const proofWanted = () =>
  field<boolean, number>({
    column: 'number',
    schema: answer.optional(answer.bool),
    takes: answer.bool,
    toColumn: Number,
    fromColumn: Boolean,
    show: (value) => value || undefined,
    read(value, { others: { webhookProof }, rules: { makesProofs = false } }) {
      refuseUnproved({ proofs: { isOn: makesProofs } }, { webhook_proof: value }, webhookProof === true)
      return readFreeFlag('webhook_proof', value) ?? false
    },
  })

/** The kinds of events that are sent beside those of every payment. */
export const events = () =>
  field<string[], string>({
    ...asJson<string[]>(),
    personal: 'no: kinds of events',
    schema: answer.list(answer.text),
    takes: answer.list(answer.text),
    read: readEvents,
  })

const LIFETIMES = ['15 minutes', '30 minutes', '1 hour', '3 hours', '1 day', '3 days', '7 days', '30 days'].map(
  (text) => [text, text] as const,
)

/** How long each checkout is open, in the words of the request; forms offer some of them. */
export const lifetime = (labelled: Labelled) =>
  field<string | null>({
    column: 'string | null',
    personal: 'no: a duration',
    schema: answer.orNull(answer.text),
    takes: answer.text,
    control: { as: 'choice', options: () => [['', 'The usual time'], ...LIFETIMES], ...labelled },
    read: (value) => (readLifetime(value) === undefined ? null : textOf(value).trim()),
  })

/** The secret that signs webhooks, which is stored encrypted. */
export const signingSecret = () => asked<string | null>({ takes: answer.text, read: readSecret })
