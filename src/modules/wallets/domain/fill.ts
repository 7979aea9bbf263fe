import { type Raw, toRaw } from '../../../kernel/money.ts'
import type { WalletContext } from '../context.ts'
import { deleteQueuedReceive } from '../outbox-moves-store.ts'
import type { OutboxBlock } from '../outbox-store.ts'
import type { Unfinished } from '../unfinished-store.ts'
import type { WalletLock } from '../lock-store.ts'
import { readDeposits } from './chain.ts'
import { freezeWallet } from './freeze.ts'
import { queueReceives } from './queue-receives.ts'
import { maySend } from './may-send.ts'
import { refuseSend } from './refuse.ts'
import { type NextBlock, signNext } from './sign.ts'
import type { Step } from './step.ts'

const DEPOSITS_MAX = 1_000
/** How long a deposit stays queued while the nodes disagree about it. */
const DOUBT_MAX = 60_000

/** Operations queued for a wallet. */
type Wishes = Omit<Unfinished, 'open'>

type Stand = Omit<NextBlock, 'queued'>

/**
 * Turns a queued operation into a signed block. The first send that the balance covers comes first, so that neither a larger send before
 * it nor any number of small deposits delays it; then the largest deposit, because a send may need it.
 */
export async function fillQueued(ctx: WalletContext, lock: WalletLock, stand: Stand, wishes: Wishes): Promise<Step> {
  const { wallet, chain } = stand
  const { sends, receives } = wishes
  const [wanting] = sends
  const sendsAllowed = await maySend(ctx, wallet.accountId)
  if (wanting && sendsAllowed) {
    const queued = sends.find((send) => isCovered(send, chain.balance, receives))
    if (queued) return signNext(ctx, lock, { ...stand, queued }, queued.amount ?? chain.balance)
    if (wanting.planId !== null) {
      await freezeWallet(ctx, wallet, { reason: 'The plan of its ending shares out more than it holds.' })
      return 'idle'
    }
    if (!willBeCovered(wanting, chain.balance, receives)) {
      const step = await receiveFirst(ctx, { ...stand, queued: wanting }, receives)
      if (step === 'moved') return step
    }
  }
  if (receives.length > 0) return fillReceive(ctx, lock, stand, receives)
  return sendsAllowed ? 'waiting' : 'idle'
}

/** "Everything" means the balance after all queued deposits are received. */
function isCovered({ amount }: OutboxBlock, balance: Raw, receives: readonly OutboxBlock[]): boolean {
  return amount === null ? balance > 0n && receives.length === 0 : amount > 0n && amount <= balance
}

function willBeCovered({ amount }: OutboxBlock, balance: Raw, receives: readonly OutboxBlock[]): boolean {
  if (amount === null) return balance > 0n
  return receives.reduce((sum, receive) => sum + receive.amount!, balance as bigint) >= amount
}

/** When the balance does not suffice, receives what is receivable if that helps (contract 4.2, rule 7). */
async function receiveFirst(
  { store, node, queue }: WalletContext,
  { wallet, chain, queued }: NextBlock,
  receives: readonly OutboxBlock[],
): Promise<Step> {
  const deposits = await readDeposits(node, wallet.address, { count: DEPOSITS_MAX, threshold: 1n })
  let within = chain.balance
  const needed = deposits.filter(({ amount }) => {
    const isNeeded = queued.amount === null || within < queued.amount
    if (isNeeded) within = toRaw(within + amount)
    return isNeeded
  })
  const suffices = within > 0n && within >= (queued.amount ?? 0n)
  if (suffices && (await queueReceives(store, wallet.id, needed)) > 0) return 'moved'
  if (suffices && receives.length > 0) return 'waiting'
  // A payment by the service waits until there is enough money; a client gets the error now.
  if (queued.deadlineAt === null) return (await queueReceives(store, wallet.id, deposits)) > 0 ? 'moved' : 'waiting'
  if (await refuseSend(store.db, queued.id, 'insufficient_funds')) queue.reportBlock(queued.id)
  return 'moved'
}

/** The list may be outdated or false: receives only final sends of this amount to this wallet, the largest first. */
async function fillReceive(
  ctx: WalletContext,
  lock: WalletLock,
  stand: Stand,
  receives: readonly OutboxBlock[],
): Promise<Step> {
  const { node, store } = ctx
  const { address } = stand.wallet
  const sends = await node.readSends(receives.map(({ sourceHash }) => sourceHash!))
  let largest: OutboxBlock | undefined
  for (const receive of receives) {
    const send = sends.get(receive.sourceHash!)
    const isDeposit = send?.to === address && send.amountRaw === receive.amount
    if (isDeposit && send.isFinal) largest = largest && largest.amount! >= receive.amount! ? largest : receive
    // Nodes learn of a block at different moments; if it is final after all, it is listed and queued again.
    else if (!isDeposit || store.clock.now() - receive.createdAt > DOUBT_MAX)
      await deleteQueuedReceive(store.db, receive.id)
  }
  return largest ? signNext(ctx, lock, { ...stand, queued: largest }, largest.amount!) : 'waiting'
}
