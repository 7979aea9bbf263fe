import type { Ctx } from '../../../kernel/ctx.ts'
import { type Raw, formatNano } from '../../../kernel/money.ts'
import type { WalletCtx } from '../ctx.ts'
import {
  dailyLimitReached,
  referenceReused,
  sendTooLarge,
  sendsDisabled,
  walletFrozen,
  walletNotFound,
} from '../errors.ts'
import { type OutboxBlock, findByReference, insertSend, listSentAmounts } from '../outbox-store.ts'
import { findWalletByAddress, lockUsableWallet } from '../store.ts'
import { getOwnedWallet } from './owned-wallet.ts'
import { untilLeft } from './until-left.ts'

const DAY = 24 * 3_600_000

export interface SendRequest {
  accountId: string
  /** Address of the wallet. */
  from: string
  destination: string
  amount: Raw | 'all'
  idempotencyKey: string | undefined
}

/**
 * Sends from a wallet and answers the block's hash once the ledger has it. With an idempotency key there is never a second
 * block, whatever happens in between and however long ago it was.
 */
export async function sendFromWallet(ctx: WalletCtx & Pick<Ctx, 'charged'>, request: SendRequest): Promise<string> {
  const { store, custody } = ctx
  const { accountId, idempotencyKey } = request
  const reference = idempotencyKey === undefined ? null : `${accountId}:${idempotencyKey}`
  const known = reference === null ? undefined : await findByReference(store.db, reference)
  if (known) return finish(ctx, await sameSend(ctx, known, request))
  if (!custody.rules.sendsAllowed) throw sendsDisabled()
  await checkLimits(ctx, request)
  const wallet = await getOwnedWallet(store.db, accountId, request.from)
  if (wallet.frozenAt !== null) throw walletFrozen()
  return ctx.charged('wallet_send', async () => finish(ctx, await acceptSend(ctx, wallet.id, request, reference)))
}

/** The wish, committed: from here on it happens at most once. Somebody may have been faster with the same key. */
async function acceptSend(
  ctx: WalletCtx,
  walletId: string,
  request: SendRequest,
  reference: string | null,
): Promise<{ id: string; walletId: string }> {
  const { store, custody } = ctx
  const { accountId, destination, amount } = request
  const id = store.ids.next('wbl')
  const createdAt = store.clock.now()
  const first = await store.db.transaction().execute(async (tx) => {
    // It may have begun to end since we looked.
    if (!(await lockUsableWallet(tx, walletId))) throw walletNotFound()
    const added = await insertSend(tx, {
      id,
      walletId,
      accountId,
      destination,
      amount: amount === 'all' ? null : amount,
      reference,
      deadlineAt: createdAt + custody.rules.waitMilliseconds,
      createdAt,
    })
    // Only who writes sees at once what another is about to commit.
    return added || reference === null ? undefined : findByReference(tx, reference)
  })
  return first ? sameSend(ctx, first, request) : { id, walletId }
}

async function finish(ctx: WalletCtx, block: { id: string; walletId: string }): Promise<string> {
  return (await untilLeft(ctx, block)).hash!
}

/** The same key must mean the same send. */
async function sameSend({ store }: WalletCtx, known: OutboxBlock, request: SendRequest): Promise<OutboxBlock> {
  const wallet = await findWalletByAddress(store.db, request.from)
  const isSame =
    wallet?.id === known.walletId &&
    known.destination === request.destination &&
    (request.amount === 'all' || known.amount === request.amount)
  if (!isSame) throw referenceReused()
  return known
}

async function checkLimits({ store, custody }: WalletCtx, { accountId, amount }: SendRequest): Promise<void> {
  const { sendMax, dailySendMax } = custody.rules
  if (sendMax > 0n && (amount === 'all' || amount > sendMax)) throw sendTooLarge(formatNano(sendMax))
  if (dailySendMax === 0n) return
  const sent = await listSentAmounts(store.db, accountId, store.clock.now() - DAY)
  const total = sent.reduce((sum, part) => sum + part, 0n)
  if (amount === 'all' || total + amount > dailySendMax) throw dailyLimitReached(formatNano(dailySendMax))
}
