import type { Deed } from '../../../kernel/deed.ts'
import type { WalletRoom } from '../room.ts'
import { type OutboxBlock, listReceives } from '../outbox-store.ts'
import type { Wallet } from '../store.ts'
import { readDeposits } from './chain.ts'
import { queueReceives } from './queue-receives.ts'
import { waitUntilSent } from './wait-until-sent.ts'
import { walletFrozen } from '../errors.ts'

const DEPOSITS_MAX = 100

/** Receives what waits for a wallet, and answers what was received. What takes too long goes on by itself. */
export async function receiveDeposits(ctx: WalletRoom, wallet: Wallet, deed?: Deed): Promise<OutboxBlock[]> {
  const { store, node, rules } = ctx
  if (wallet.frozenAt !== null) throw walletFrozen()
  const sources = madeOf(deed) ?? (await queueWaiting({ store, node }, wallet, deed))
  const until = store.clock.now() + rules.waitMilliseconds
  let failure: unknown
  for (const receive of await listReceives(store.db, wallet.id, sources)) {
    if (store.clock.now() >= until) break
    try {
      await waitUntilSent(ctx, receive)
    } catch (error) {
      failure = error
      break
    }
  }
  const received = (await listReceives(store.db, wallet.id, sources)).filter(
    ({ status }) => status === 'broadcast' || status === 'confirmed',
  )
  if (received.length === 0 && failure !== undefined) throw failure
  return received
}

/** What an earlier run of the request has begun to receive: by now it may wait no longer, and it is the answer all the same. */
const madeOf = (deed: Deed | undefined) => (deed?.made as { sources: string[] } | undefined)?.sources

async function queueWaiting(
  { store, node }: Pick<WalletRoom, 'store' | 'node'>,
  { id, address }: Wallet,
  deed: Deed | undefined,
): Promise<string[]> {
  const deposits = await readDeposits(node, address, { count: DEPOSITS_MAX, threshold: 1n })
  await queueReceives(store, id, deposits, deed)
  return deposits.map(({ hash }) => hash)
}
