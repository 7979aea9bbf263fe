import { formatNano, parseRaw } from '../../../kernel/money.ts'
import { textOf, toList, toObject } from '../../../kernel/shape.ts'
import type { AskLedger } from './look-ahead.ts'

/** A send that the ledger has and the store does not. */
interface UnknownSend {
  hash: string
  destination: string
  amount: string
}

const BLOCKS_MAX = 1_000

/** The sends of an account after a block, newest first; the newest thousand blocks are read. */
export async function listUnknownSends(
  ask: AskLedger,
  { address, frontier }: { address: string; frontier: string },
): Promise<UnknownSend[]> {
  const answer = toObject(await ask('account_history', { account: address, count: String(BLOCKS_MAX), raw: 'true' }))
  const blocks = toList(answer.history).map(toObject)
  const known = blocks.findIndex(({ hash }) => textOf(hash).toUpperCase() === frontier)
  const later = known === -1 ? blocks : blocks.slice(0, known)
  return later.flatMap(({ subtype, type, hash, account, amount }) =>
    subtype === 'send' || type === 'send'
      ? [{ hash: textOf(hash), destination: textOf(account), amount: formatNano(parseRaw(textOf(amount)) ?? 0n) }]
      : [],
  )
}
