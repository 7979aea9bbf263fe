import type { Idempotency } from '../../../kernel/idempotency.ts'
import type { WalletContext } from '../context.ts'
import { type OutboxBlock, listReceives } from '../outbox-store.ts'
import type { Wallet } from '../store.ts'
import { readDeposits } from './chain.ts'
import { queueReceives } from './queue-receives.ts'
import { waitUntilSent } from './wait-until-sent.ts'
import { walletFrozen } from '../errors.ts'

const DEPOSITS_MAX = 100

/** Receives a wallet's deposits and returns those received. What takes too long is finished in the background. */
export async function receiveDeposits(
  ctx: WalletContext,
  wallet: Wallet,
  idempotency?: Idempotency,
): Promise<OutboxBlock[]> {
  const { store, node, rules } = ctx
  if (wallet.frozenAt !== null) throw walletFrozen()
  const sources = madeOf(idempotency) ?? (await queueWaiting({ store, node }, wallet, idempotency))
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

/** Deposits that an earlier run of this request began to receive: they belong to its answer even when they are received by now. */
const madeOf = (idempotency: Idempotency | undefined) =>
  (idempotency?.made as { sources: string[] } | undefined)?.sources

async function queueWaiting(
  { store, node }: Pick<WalletContext, 'store' | 'node'>,
  { id, address }: Wallet,
  idempotency: Idempotency | undefined,
): Promise<string[]> {
  const deposits = await readDeposits(node, address, { count: DEPOSITS_MAX, threshold: 1n })
  await queueReceives(store, id, deposits, idempotency)
  return deposits.map(({ hash }) => hash)
}
