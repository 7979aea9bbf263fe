import { answer } from '../../../kernel/answers.ts'

/** Every kind of event about a watched address and when it happens. Type, reader, reference and the check of the contract are made from this. */
export const ADDRESS_KINDS = {
  'address.received': 'a send to a watched address is confirmed',
  'address.sent': 'a send from a watched address is confirmed',
} as const

export type AddressKind = keyof typeof ADDRESS_KINDS

/** What an event about a watched address carries. */
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
