import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { isHex } from '../../kernel/nano/hex.ts'
import type { LedgerNames, LedgerView } from '../../kernel/ledger-view.ts'

type Found = { kind: 'block'; hash: string } | { kind: 'account'; address: string }

/** What can be one; the ledger is asked about nothing else. */
const NAME = /^[\w .-]{1,100}$/

/** What a reader means by a text: a hash, the beginning of one, a public key, an address, or a name. */
export async function findInLedger(
  { view, names }: { view: LedgerView; names: LedgerNames },
  text: string,
): Promise<Found | undefined> {
  const key = fromAddress(text)
  if (key !== undefined) return { kind: 'account', address: toAddress(key) }
  const name = text.replace(/^@/, '')
  const named = NAME.test(name) ? await names.find(name) : undefined
  if (named !== undefined) return { kind: 'account', address: named }
  const digits = text.toUpperCase()
  if (isHex(text, 64) && !view.block(digits)) return { kind: 'account', address: toAddress(digits) }
  const hash = /^[0-9a-f]{6,64}$/i.test(text) ? view.startingWith(digits) : undefined
  return hash === undefined ? undefined : { kind: 'block', hash }
}
