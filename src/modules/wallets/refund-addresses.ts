import { AppError } from '../../kernel/errors.ts'
import { BURN_ADDRESS, fromAddress, toAddress } from '../../kernel/nano/address.ts'
import type { Names } from '../../kernel/ports.ts'

const ADDRESSES_MAX = 10

const refuse = (text: string) => new AppError('invalid_account', text, { body: { field: 'refund_address' } })

/** Reads where the balance goes at the end: an address, a username, or a list without duplicates. Keeps the form of the request. */
export async function readRefundAddress(names: Names, given: string | string[]): Promise<string | string[]> {
  if (typeof given === 'string') return toOne(names, given)
  if (given.length > ADDRESSES_MAX) {
    const text = `refund_address takes at most ${ADDRESSES_MAX} entries.`
    throw new AppError('invalid_list', text, { body: { field: 'refund_address' } })
  }
  const addresses = await Promise.all(given.map((entry) => toOne(names, entry)))
  if (new Set(addresses).size < addresses.length) throw refuse('refund_address lists an account twice.')
  return addresses
}

async function toOne(names: Names, given: string): Promise<string> {
  const resolved = given.startsWith('@') ? await names.resolve(given.slice(1), 'money') : given
  if (resolved === undefined) {
    throw new AppError('username_not_found', 'Username not found.', { body: { field: 'refund_address' } })
  }
  const key = fromAddress(resolved)
  if (key === undefined) throw refuse('Bad account number')
  const address = toAddress(key)
  if (address === BURN_ADDRESS) throw refuse('Funds sent to the burn account are lost.')
  return address
}
