import type { Actor } from '../../../kernel/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { formatNano } from '../../../kernel/money.ts'
import { deriveKeyBytes } from '../../../kernel/nano/keys.ts'
import { findAccount, insertAudit } from '../../accounts/index.ts'
import { listKnown, listSeeds, markAssigned, markRecovered, skipPlaces } from '../seeds-store.ts'
import { insertWallet } from '../store.ts'
import { type AskLedger, type FoundAhead, lookAhead } from './look-ahead.ts'
import { noteRestore } from './restores.ts'
import { withSeed } from './seeds.ts'
import type { WordsCtx } from './words.ts'

interface Recovery {
  ask: AskLedger
  /** The search ends after this many addresses in a row without a trace. */
  ahead: number
  /** The first index of the seed to look at; by default somewhat before the next one that a new wallet would get. */
  from?: number
  actor: Actor
}

interface Recovered extends FoundAhead {
  id: string
}

/**
 * Adopts wallets of the store's seeds that the ledger knows and the store does not, as after a restore. Their owners are unknown, so they are held
 * until they are assigned. New wallets begin half of `ahead` beyond the last trace: addresses that were handed out and not paid yet have
 * none, and must not be handed out again. Repeating it changes nothing.
 */
export async function recoverWallets(ctx: WordsCtx, { actor, ...how }: Recovery): Promise<Recovered[]> {
  const recovered: Recovered[] = []
  for (const seed of await listSeeds(ctx.db)) {
    const { found, last } = await lookAhead(ctx, seed, how)
    // All or nothing: a counter that moved without its wallets would hide them from the next look.
    await inTx(ctx, async (tx) => {
      await skipPlaces(tx.db, seed.id, last + 1 + Math.ceil(how.ahead / 2))
      const known =
        found.length === 0
          ? new Set()
          : await listKnown(
              tx.db,
              found.map(({ address }) => address),
            )
      if (known.size < found.length)
        await noteRestore(tx, actor, 'wallets recover has found wallets that the store had lost.')
      for (const one of found) {
        if (known.has(one.address)) continue
        const id = await adopt({ ...tx, vault: ctx.vault }, seed.id, one)
        const detail = { address: one.address, amount: formatNano(one.amount), index: one.index }
        await insertAudit(tx, { actor, accountId: null, what: 'wallet.recovered', detail })
        recovered.push({ ...one, id })
      }
    })
  }
  return recovered
}

async function adopt(ctx: WordsCtx, seedId: string, { address, index }: FoundAhead): Promise<string> {
  const { db, clock, ids, vault } = ctx
  const [id, now] = [ids.next('wal'), clock.now()]
  const terms = { accountId: null, purpose: 'cloud', refundAddress: null, metadata: null, expiresAt: null }
  await withSeed(ctx, seedId, async (seed) => {
    const key = deriveKeyBytes(seed, index)
    try {
      const encrypted = { ...vault.encrypt({ walletId: id, address }, key), seedId, index }
      await insertWallet(db, { id, address, ...terms, createdAt: now }, encrypted)
    } finally {
      key.fill(0)
    }
  })
  await markRecovered(db, id, now)
  return id
}

/** Gives a recovered wallet to its owner. */
export function assignWallet(
  ctx: StoreCtx,
  { wallet, accountId, actor }: { wallet: string; accountId: string; actor: Actor },
): Promise<{ address: string }> {
  return inTx(ctx, async (tx) => {
    if (!(await findAccount(tx.db, accountId))) throw new AppError('not_found', 'Account not found.')
    const assigned = await markAssigned(tx.db, wallet, accountId)
    if (!assigned) throw new AppError('not_found', 'There is no wallet without an owner with this id or address.')
    await insertAudit(tx, { actor, accountId, what: 'wallet.assigned', detail: assigned })
    return assigned
  })
}
