import type { Job } from '../../../kernel/job.ts'
import { ZERO_HASH } from '../../../kernel/nano/block.ts'
import { toObject } from '../../../kernel/shape.ts'
import type { WalletContext } from '../context.ts'
import { advanceWallet } from '../domain/advance.ts'
import { maintainsItself } from '../domain/maintain.ts'
import type { Setbacks } from '../setbacks.ts'
import { type Wallet, listLeastLookedAt, markLooked } from '../store.ts'
import { listStuck } from '../void-store.ts'
import { forEachOf } from './for-each-of.ts'

const WALLETS_MAX = 1_000
/** Ended wallets get what is left of a round, but at least this many: their number grows every day. */
const ENDED_MIN = 100
const WALLETS_AT_ONCE = 8
const LOOK_EVERY = 60_000

/**
 * Compares with the ledger the wallets that were not checked for longest, to find deposits that no node reported and blocks that we did not
 * sign. Two requests cover all of them. Live wallets come first, however many have ended. Wallets whose blocks make no progress are
 * inspected one by one.
 */
export const inspectWallets = (ctx: WalletContext, setbacks: Setbacks): Job => ({
  kind: 'wallets.look',
  money: true,
  everyMilliseconds: LOOK_EVERY,
  run: async (_payload, signal) => {
    const { db, clock } = ctx.store
    const before = clock.now() - LOOK_EVERY
    const living = await listLeastLookedAt(db, { ended: false, before, limit: WALLETS_MAX - ENDED_MIN })
    const ended = await listLeastLookedAt(db, { ended: true, before, limit: WALLETS_MAX - living.length })
    const wallets = [...living, ...ended]
    const stuck = await listStuck(db, before, WALLETS_MAX)
    const suspects = new Set([...stuck, ...(await findSuspects(ctx, wallets))])
    await forEachOf(suspects, { atOnce: WALLETS_AT_ONCE, signal }, async (id) => {
      if (!setbacks.isBackedOff(id)) await setbacks.during(id, advanceWallet(ctx, id, { inspect: true }))
    })
    if (signal.aborted) return
    await markLooked(
      db,
      wallets.map(({ id }) => id),
      clock.now(),
    )
  },
})

async function findSuspects({ node, rules }: WalletContext, wallets: readonly Wallet[]): Promise<string[]> {
  if (wallets.length === 0) return []
  const accounts = wallets.map(({ address }) => address)
  const threshold = rules.receiveMin > 0n ? rules.receiveMin : 1n
  const [{ frontiers }, { blocks }] = await Promise.all([
    node.read('accounts_frontiers', { accounts }),
    node.read('accounts_receivable', { accounts, count: 1, threshold: threshold.toString() }),
  ])
  const known = toObject(frontiers)
  const waiting = toObject(blocks)
  const suspects = wallets.filter(({ address, frontier, ...wallet }) => {
    if ((known[address] ?? ZERO_HASH) !== frontier) return true
    // The owner has emptied it, and no event reported that.
    if (wallet.status === 'held' && wallet.balance === 0n) return true
    const deposits = toObject(waiting[address])
    return Object.keys(deposits).length > 0 && maintainsItself({ address, frontier, ...wallet }, rules)
  })
  return suspects.map(({ id }) => id)
}
