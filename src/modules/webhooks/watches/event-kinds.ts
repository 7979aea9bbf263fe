import { answer } from '../../../kernel/answers.ts'

/** Every type of event about a watched address. The type, its reader, the reference and the contract check are generated from this. */
export const ADDRESS_KINDS = {
  'address.received': 'a send to a watched address is confirmed',
  'address.sent': 'a send from a watched address is confirmed',
} as const

export type AddressKind = keyof typeof ADDRESS_KINDS

/** The body of an event about a watched address. */
export const ADDRESS_EVENT = answer.record({
  id: answer.text,
  type: answer.words('address.received', 'address.sent'),
  created_unix: answer.unix,
  endpoint: answer.text,
  hash: answer.text,
  account: answer.text,
  source: answer.text,
  destination: answer.text,
  amount: answer.text,
  amount_raw: answer.text,
  confirmed: answer.text,
  sequence: answer.integer,
})
