import { fromAddress } from '../../kernel/nano/address.ts'

const BASE58 = '1-9A-HJ-NP-Za-km-z'

/** What addresses look like, by currency: enough to catch a wrong paste before money moves. */
const ADDRESSES: Readonly<Record<string, RegExp>> = {
  ban: /^ban_[13][13456789abcdefghijkmnopqrstuwxyz]{59}$/,
  bch: /^(bitcoincash:)?[qp][a-z0-9]{41}$/,
  btc: new RegExp(`^(bc1[a-z0-9]{11,71}|[13][${BASE58}]{25,34})$`),
  doge: new RegExp(`^[DA9][${BASE58}]{25,34}$`),
  eth: /^0x[0-9a-fA-F]{40}$/,
  ltc: new RegExp(`^(ltc1[a-z0-9]{11,71}|[LM3][${BASE58}]{25,34})$`),
  sol: new RegExp(`^[${BASE58}]{32,44}$`),
  usdc: /^0x[0-9a-fA-F]{40}$/,
  usdt: /^0x[0-9a-fA-F]{40}$/,
  xmr: new RegExp(`^[48][${BASE58}]{94,105}$`),
}

/** Printable and of a length that an address can have: all that is known of a currency we do not know. */
const ANY = /^[\x21-\x7e]{10,128}$/

/** The one spelling of a currency: `nano` for all names of nano. */
export function toCode(text: string): string {
  const code = text.toLowerCase()
  return code === 'xno' ? 'nano' : code
}

export function isAddressOf(code: string, address: string): boolean {
  if (code === 'nano') return fromAddress(address) !== undefined
  const form = Object.hasOwn(ADDRESSES, code) ? ADDRESSES[code] : undefined
  return (form ?? ANY).test(address)
}
