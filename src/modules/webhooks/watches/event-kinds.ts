/** Every kind of event about a watched address and when it happens. Type, reader, reference and the check of the contract are made from this. */
export const ADDRESS_KINDS = {
  'address.received': 'a send to a watched address is confirmed',
  'address.sent': 'a send from a watched address is confirmed',
} as const

export type AddressKind = keyof typeof ADDRESS_KINDS
