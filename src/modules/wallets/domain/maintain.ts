import type { Raw } from '../../../kernel/money.ts'
import type { WalletContext, WalletRules } from '../context.ts'
import { insertSend } from '../outbox-store.ts'
import { endingPurpose } from '../purposes.ts'
import { countPlans, findOpenPlan, insertPlan, markPlanDone } from '../plans-store.ts'
import type { WalletLock } from '../lock-store.ts'
import { type Wallet } from '../store.ts'
import { markEnded, markHeld } from '../ending-store.ts'
import { type Chain, holdsFunds, readDeposits } from './chain.ts'
import { underLock } from './lock.ts'
import { maySend } from './may-send.ts'
import { queueReceives } from './queue-receives.ts'
import { splitShares, toList } from './shares.ts'
import type { Step } from './step.ts'

const DEPOSITS_MAX = 100
const OVER = new Set(['expiring', 'ended', 'deleted'])

/** Whether a wallet acts without a request: wallets of the service receive, ending ones pay out, wallets on hold may be empty and end. */
export function maintainsItself({ purpose, status }: Wallet, rules: WalletRules): boolean {
  return purpose !== 'cloud' || rules.receivesItself || status !== 'active'
}

/** What a wallet does without a request: receive, pay out, end. Call it when nothing is queued or open. */
export async function maintainWallet(
  ctx: WalletContext,
  lock: WalletLock,
  wallet: Wallet,
  chain: Chain,
): Promise<Step> {
  const { store, node, rules } = ctx
  const plan = await findOpenPlan(store.db, wallet.id)
  if (plan !== undefined) {
    await underLock(ctx, lock, (db, now) => markPlanDone(db, plan, now))
    return 'moved'
  }
  const isOver = OVER.has(wallet.status)
  if (isOver || wallet.purpose !== 'cloud' || rules.receivesItself) {
    // An ending wallet receives everything, but dust last, so that dust does not delay the payout. After that, a deposit must be worth the
    // work it costs.
    const takesDust = wallet.status === 'expiring' && chain.balance === 0n
    for (const threshold of takesDust ? [rules.receiveMin, 1n] : [rules.receiveMin]) {
      const deposits = await readDeposits(node, wallet.address, { count: DEPOSITS_MAX, threshold })
      if ((await queueReceives(store, wallet.id, deposits)) > 0) return 'moved'
    }
  }
  if (isOver) return chain.balance > 0n ? shareOut(ctx, lock, wallet, chain) : end(ctx, lock, wallet)
  // The two answers may come from different nodes: both must say that nothing is there.
  const isEmpty = wallet.status === 'held' && chain.balance === 0n && !(await holdsFunds(node, wallet.address))
  if (isEmpty) return end(ctx, lock, wallet)
  return 'idle'
}

/**
 * Fixes who gets how much, in one transaction with the sends themselves. After a crash these rows are continued and the balance is not read
 * again; what arrives meanwhile belongs to the next plan.
 */
async function shareOut(ctx: WalletContext, lock: WalletLock, wallet: Wallet, chain: Chain): Promise<Step> {
  const destinations = toList(wallet.refundAddress)
  if (destinations.length === 0) {
    await underLock(ctx, lock, (db) => markHeld(db, wallet.id))
    return 'idle'
  }
  if (!(await maySend(ctx, wallet.accountId))) return 'idle'
  const { ids } = ctx.store
  const purpose = endingPurpose(wallet)
  await underLock(ctx, lock, async (db, now) => {
    const run = (await countPlans(db, wallet.id)) + 1
    const plan = { id: ids.next('wpl'), walletId: wallet.id, run, frontier: chain.frontier, total: chain.balance }
    await insertPlan(db, plan, now)
    let planned = 0n
    for (const [position, { destination, amount }] of splitShares(chain.balance, destinations).entries()) {
      const share = {
        id: ids.next('wbl'),
        walletId: wallet.id,
        purpose,
        accountId: null,
        destination,
        amount,
        position,
      }
      const reference = `sweep:${wallet.id}:${run}:${position}`
      await insertSend(db, { ...share, reference, planId: plan.id, deadlineAt: null, createdAt: now })
      planned += amount
    }
    assertWhole(planned, chain.balance)
  })
  return 'moved'
}

function assertWhole(planned: bigint, total: Raw): void {
  if (planned !== total) throw new Error('A plan was about to be made that does not share out everything.')
}

async function end(ctx: WalletContext, lock: WalletLock, wallet: Wallet): Promise<Step> {
  if (wallet.status === 'ended' || wallet.status === 'deleted') return 'idle'
  await underLock(ctx, lock, (db, now) => markEnded(db, wallet.id, wallet.endsAs ?? 'ended', now))
  return 'idle'
}
