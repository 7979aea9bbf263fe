import { parseRaw, toRaw } from '../../../kernel/money.ts'
import { fromAddress } from '../../../kernel/nano/address.ts'
import type { WalletCtx } from '../ctx.ts'
import { deleteQueuedReceive, markRefused } from '../outbox-store.ts'
import type { Lease } from '../store.ts'
import { findLedgerBlock, readDeposits } from './chain.ts'
import { freezeWallet } from './freeze.ts'
import { queueReceives } from './queue-receives.ts'
import { type NextBlock, signNext } from './sign.ts'
import type { Step } from './step.ts'

const DEPOSITS_MAX = 1_000

/** Turns a wish into a signed block, as far as the balance goes. */
export function fillQueued(ctx: WalletCtx, lease: Lease, next: NextBlock): Promise<Step> {
  return next.queued.kind === 'receive' ? fillReceive(ctx, lease, next) : fillSend(ctx, lease, next)
}

async function fillSend(ctx: WalletCtx, lease: Lease, next: NextBlock): Promise<Step> {
  const { wallet, chain, queued } = next
  if (!ctx.custody.rules.sendsAllowed) return 'idle'
  const amount = queued.amount ?? chain.balance
  if (amount > 0n && amount <= chain.balance) return signNext(ctx, lease, next, amount)
  if (queued.planId !== null) {
    await freezeWallet(ctx, wallet, { reason: 'The plan of its ending shares out more than it holds.' })
    return 'idle'
  }
  return receiveFirst(ctx, next)
}

/** The balance does not suffice: what waits is received, if it helps (contract 4.2, rule 7). */
async function receiveFirst({ store, node, custody }: WalletCtx, { wallet, chain, queued }: NextBlock): Promise<Step> {
  const deposits = await readDeposits(node, wallet.address, { count: DEPOSITS_MAX, threshold: 1n })
  let within = chain.balance
  const needed = deposits.filter(({ amount }) => {
    const isNeeded = queued.amount === null || within < queued.amount
    if (isNeeded) within = toRaw(within + amount)
    return isNeeded
  })
  const suffices = within > 0n && within >= (queued.amount ?? 0n)
  if (suffices && (await queueReceives(store, wallet.id, needed)) > 0) return 'moved'
  // What the service owes is paid as soon as there is enough; a client is told now.
  if (queued.deadlineAt === null) return (await queueReceives(store, wallet.id, deposits)) > 0 ? 'moved' : 'waiting'
  if (await markRefused(store.db, queued.id, 'insufficient_funds')) custody.tellBlock(queued.id)
  return 'moved'
}

async function fillReceive(ctx: WalletCtx, lease: Lease, next: NextBlock): Promise<Step> {
  const { wallet, queued } = next
  // A list may be old. Only a confirmed send of this amount to this wallet is received.
  const send = await findLedgerBlock(ctx.node, queued.sourceHash!)
  const isDeposit =
    send?.confirmed === true &&
    send.link === fromAddress(wallet.address) &&
    parseRaw(send.amount) === queued.amount &&
    send.subtype === 'send'
  if (isDeposit) return signNext(ctx, lease, next, queued.amount!)
  await deleteQueuedReceive(ctx.store.db, queued.id)
  return 'waiting'
}
