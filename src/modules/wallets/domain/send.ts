import { type Actor } from '../../../kernel/actor.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { KeyRights } from '../../../kernel/rights.ts'
import { type Raw, formatNano, toRaw } from '../../../kernel/money.ts'
import type { Db } from '../../../kernel/db.ts'
import { together } from '../../../kernel/in-tx.ts'
import { allOrNone } from '../../../kernel/store-connection.ts'
import { endOfDay, hasSpendingLimit, insertAudit, lockAccount, pledgeTo, reserveSpend } from '../../accounts/index.ts'
import { type WalletContext, notifyWallet } from '../context.ts'
import {
  dailyLimitReached,
  insufficientFunds,
  referenceReused,
  sendTooLarge,
  walletFrozen,
  walletNotFound,
} from '../errors.ts'
import { type OutboxBlock, findByReference, findOpenBlock, insertSend, listSentAmounts } from '../outbox-store.ts'
import { type Wallet, findWallet, findWalletByAddress, lockUsableWallet } from '../store.ts'
import { readDeposits } from './chain.ts'
import { requireSends } from './may-send.ts'
import { getOwnedWallet } from './wallets.ts'
import { waitUntilSent } from './wait-until-sent.ts'

const DAY = 24 * 3_600_000
const DEPOSITS_MAX = 1_000

interface SendRequest {
  accountId: string
  /** Address of the wallet. */
  from: string
  destination: string
  amount: Raw | 'all'
  idempotencyKey: string | undefined
  /** The rights of the requesting key. */
  rights?: KeyRights | undefined
  actor: Actor
}

/**
 * Sends from a wallet and returns the block's hash once the ledger has it. With an idempotency key there is never a second block, whatever
 * happens in between and however long ago the first was.
 */
export async function sendFromWallet(ctx: WalletContext & Pick<Ctx, 'charged'>, request: SendRequest): Promise<string> {
  const { store } = ctx
  const { accountId, idempotencyKey } = request
  const reference = idempotencyKey === undefined ? null : `${accountId}:${idempotencyKey}`
  const known = reference === null ? undefined : await findByReference(store.db, reference)
  if (known) return finish(ctx, await sameSend(ctx, known, request))
  const [wallet] = await Promise.all([
    getOwnedWallet(store.db, accountId, request.from),
    requireSends(store.db, ctx, accountId),
  ])
  if (wallet.frozenAt !== null) throw walletFrozen()
  const amount = await resolveAmount(ctx, wallet, request)
  return ctx.charged('wallet_send', async () =>
    finish(ctx, await acceptSend(ctx, request, { walletId: wallet.id, amount, reference })),
  )
}

/** The amount to compare with limits; null means everything, and is possible only without a limit. */
async function resolveAmount(
  { store, node, rules }: WalletContext,
  wallet: Wallet,
  { amount, rights }: Pick<SendRequest, 'amount' | 'rights'>,
): Promise<Raw | null> {
  const { sendMax, dailySendMax } = rules
  if (sendMax === 0n && dailySendMax === 0n && !hasSpendingLimit(rights)) return amount === 'all' ? null : amount
  const resolved = amount === 'all' ? await readEverything({ store, node }, wallet) : amount
  if (sendMax > 0n && resolved > sendMax) throw sendTooLarge(formatNano(sendMax))
  return resolved
}

/** The balance after the wallet's open block; when that is zero, the sum of what can be received. */
async function readEverything({ store, node }: Pick<WalletContext, 'store' | 'node'>, wallet: Wallet): Promise<Raw> {
  const balance = (await findOpenBlock(store.db, wallet.id))?.balance ?? wallet.balance
  if (balance > 0n) return balance
  const deposits = await readDeposits(node, wallet.address, { count: DEPOSITS_MAX, threshold: 1n })
  const total = deposits.reduce((sum, deposit) => sum + deposit.amount, 0n)
  if (total === 0n) throw insufficientFunds()
  return toRaw(total)
}

interface Accepted {
  walletId: string
  amount: Raw | null
  reference: string | null
}

/** The wallet may be ending since it was read, or was frozen. */
async function unusable(db: Db, walletId: string) {
  const isFrozen = ((await findWallet(db, walletId))?.frozenAt ?? null) !== null
  return isFrozen ? walletFrozen() : walletNotFound()
}

/** Stores the send, which from here on happens at most once. Another request with the same key may have been faster. */
async function acceptSend(
  ctx: WalletContext,
  request: SendRequest,
  { walletId, amount, reference }: Accepted,
): Promise<{ id: string; walletId: string }> {
  const { store, rules } = ctx
  const { accountId, destination, rights } = request
  const { dailySendMax, waitMilliseconds } = rules
  const id = store.ids.next('wbl')
  const createdAt = store.clock.now()
  const sendsAll = request.amount === 'all'
  const until = createdAt + waitMilliseconds
  // A reserved part of a key's limit counts for its day: what is not sent by the end of the day is released.
  const deadlineAt = hasSpendingLimit(rights) ? Math.min(until, endOfDay(createdAt)) : until
  const terms = { accountId, destination, amount, sendsAll, reference, deadlineAt, createdAt }
  const wish = { id, walletId, purpose: 'send' as const, ...terms }
  const enter = (tx: Db) => [lockUsableWallet(tx, walletId), insertSend(tx, wish)] as const
  const detail = { from: request.from, destination, amount: amount === null ? 'all' : formatNano(amount) }
  const note = (db: Db) =>
    insertAudit({ ...store, db }, { actor: request.actor, accountId, what: 'wallet.sent', detail })
  // Without limits nothing is counted: the send and its audit entry are all there is to write.
  if (dailySendMax === 0n && !hasSpendingLimit(rights)) {
    const [isUsable, isFirst] = await allOrNone(store.db, (tx) => [...enter(tx), note(tx)] as const)
    if (!isUsable) throw await unusable(store.db, walletId)
    if (isFirst) {
      notifyWallet(ctx, { accountId })
      return { id, walletId }
    }
  }
  const first = await store.db.transaction().execute(async (tx) => {
    // Concurrent sends must count one after another; otherwise each would fit into the limit alone.
    if (dailySendMax > 0n) await lockAccount(tx, accountId)
    const [isUsable, isFirst] = await together(enter(tx))
    if (!isUsable) throw await unusable(tx, walletId)
    // Read in the writing transaction, which sees what the other request was about to commit.
    if (!isFirst) return reference === null ? undefined : findByReference(tx, reference)
    if (dailySendMax > 0n) await checkDay(tx, { accountId, dailySendMax, since: createdAt - DAY })
    // With such a limit, "everything" was resolved to an amount before.
    if (hasSpendingLimit(rights)) {
      const spend = { rights, amount: amount!, reference: id, now: createdAt, covers: pledgeTo(destination) }
      await reserveSpend(tx, spend)
    }
    await note(tx)
    return undefined
  })
  if (first) return sameSend(ctx, first, request)
  notifyWallet(ctx, { accountId })
  return { id, walletId }
}

/** Refuses a send when the sum since a time, including this send, exceeds the limit. */
export async function checkDay(
  db: Db,
  { accountId, dailySendMax, since }: { accountId: string; dailySendMax: Raw; since: number },
): Promise<void> {
  const sent = await listSentAmounts(db, accountId, since)
  if (sent.reduce((sum, part) => sum + part, 0n) > dailySendMax) throw dailyLimitReached(formatNano(dailySendMax))
}

async function finish(ctx: WalletContext, block: { id: string; walletId: string }): Promise<string> {
  return (await waitUntilSent(ctx, block)).hash!
}

/** Requests with the same key must ask for the same send. */
async function sameSend({ store }: WalletContext, known: OutboxBlock, request: SendRequest): Promise<OutboxBlock> {
  const wallet = await findWalletByAddress(store.db, request.from)
  const isSame =
    wallet?.id === known.walletId &&
    known.destination === request.destination &&
    known.sendsAll === (request.amount === 'all') &&
    (known.sendsAll || known.amount === request.amount)
  if (!isSame) throw referenceReused()
  return known
}
