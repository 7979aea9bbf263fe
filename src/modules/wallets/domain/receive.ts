import type { WalletCtx } from '../ctx.ts'
import { type OutboxBlock, listReceives } from '../outbox-store.ts'
import type { Wallet } from '../store.ts'
import { readDeposits } from './chain.ts'
import { queueReceives } from './queue-receives.ts'
import { untilLeft } from './until-left.ts'
import { walletFrozen } from '../errors.ts'

const DEPOSITS_MAX = 100

/** Receives what waits for a wallet, and answers what was received. What takes too long goes on by itself. */
export async function receiveDeposits(ctx: WalletCtx, wallet: Wallet): Promise<OutboxBlock[]> {
  const { store, node, custody } = ctx
  if (wallet.frozenAt !== null) throw walletFrozen()
  const deposits = await readDeposits(node, wallet.address, { count: DEPOSITS_MAX, threshold: 1n })
  await queueReceives(store, wallet.id, deposits)
  const sources = deposits.map(({ hash }) => hash)
  const until = store.clock.now() + custody.rules.waitMilliseconds
  let failure: unknown
  for (const receive of await listReceives(store.db, wallet.id, sources)) {
    if (store.clock.now() >= until) break
    try {
      await untilLeft(ctx, receive)
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
