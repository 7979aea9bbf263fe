import { answer } from '../../kernel/answers.ts'
import { badField } from '../../kernel/errors.ts'
import type { Labelled } from '../../kernel/resource/field.ts'
import { field } from '../../kernel/resource/fields.ts'
import { readPrice } from './price-fields.ts'
import { readAddress, readCurrency } from './wire-fields.ts'

/* Fields of nouns that make checkouts; their values are read as those of a checkout. */

declare module '../../kernel/resource/field.ts' {
  interface Rules {
    /** Currencies that prices may be in, beside nano. */
    currencies: readonly string[]
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

/** A price in the currency of another field, as plain decimal text. */
export function price({ in: other, ...labelled }: Labelled & { in: string }) {
  return field<string>({
    isRequired: true,
    schema: answer.text,
    takes: answer.oneOf(answer.text, answer.number),
    control: { as: 'text', formText: 'must be a price', ...labelled },
    read(value, { path, others }) {
      const known = others[other]
      // The currency itself is wrong and gets its own error, so the price is not judged.
      if (typeof known !== 'string') return ''
      const read = readPrice(path, value, known)
      if (!read || read.kind === 'wildcards') throw badField(path, `${path} must be a price.`, 'invalid_amount')
      return read.text
    },
  })
}
