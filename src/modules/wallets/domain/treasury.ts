import { actorOf } from '../../../kernel/actor.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import type { Raw } from '../../../kernel/money.ts'
import type { Db } from '../../../kernel/db.ts'
import type { SendPurpose } from '../purposes.ts'
import type { WalletContext } from '../context.ts'
import { walletBusy } from '../errors.ts'
import { lockPayer } from '../old-keys-store.ts'
import { type OutboxBlock, findByReference, insertSend } from '../outbox-store.ts'
import { type Wallet, findServiceWallet } from '../store.ts'
import { createWallet } from './wallets.ts'
import { waitUntilSent } from './wait-until-sent.ts'

const PURPOSE = 'treasury'

/** The service's own wallet, made when it is first needed; payments to the service arrive here. */
export async function treasury(ctx: WalletContext): Promise<Wallet> {
  const known = await findServiceWallet(ctx.store.db, PURPOSE)
  if (known) return known
  try {
    return await createWallet(ctx, { accountId: undefined, actor: actorOf.service('service'), purpose: PURPOSE })
  } catch (error) {
    // Another instance was faster. A writing transaction sees what that instance was about to commit.
    const first = await ctx.store.db.transaction().execute((tx) => findServiceWallet(tx, PURPOSE))
    if (!first || !isUniqueViolation(error)) throw error
    return first
  }
}

export interface Payment {
  walletId: string
  destination: string
  amount: Raw
  /** Makes the payment unique for ever: the same reference is the same payment. */
  reference: string
  purpose: SendPurpose
}

/**
 * Queues a payment by the service inside the caller's transaction, so that both commit or neither does; once committed, it happens once.
 * Call `queue.advance` after the commit, or leave it to the jobs.
 */
export async function queuePayment(
  { db, store: { clock, ids } }: { db: Db; store: Pick<WalletContext['store'], 'clock' | 'ids'> },
  { walletId, destination, amount, reference, purpose }: Payment,
): Promise<void> {
  // Without an amount, a send would take the whole balance, which is never owed to a customer.
  if (typeof amount !== 'bigint' || amount <= 0n) throw new RangeError('A payment needs an amount.')
  // The caller reads the treasury of today when it tries again.
  if (!(await lockPayer(db, walletId))) throw walletBusy()
  const send = { id: ids.next('wbl'), walletId, purpose, accountId: null, destination, amount, deadlineAt: null }
  await insertSend(db, { ...send, reference: `payment:${reference}`, createdAt: clock.now() })
}

export function findPayment(db: Db, reference: string): Promise<OutboxBlock | undefined> {
  return findByReference(db, `payment:${reference}`)
}

/** Waits until a queued payment is on the ledger. Giving up changes nothing: the payment still happens. */
export async function untilPaid(ctx: WalletContext, reference: string): Promise<OutboxBlock> {
  const block = await findPayment(ctx.store.db, reference)
  if (!block) throw new Error('There is no such payment.')
  return waitUntilSent(ctx, block)
}
