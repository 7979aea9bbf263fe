import { LedgerRefusal } from '../../../kernel/errors.ts'
import { type StateBlock, previousOf, rootOf, toBlockJson } from '../../../kernel/nano/block.ts'
import { workValue } from '../../../kernel/nano/work.ts'
import { type WalletContext, notifyWallet } from '../context.ts'
import { markBroadcast, updateWork } from '../outbox-moves-store.ts'
import { type OutboxBlock, findOwnBlock } from '../outbox-store.ts'
import type { Wallet } from '../store.ts'
import { findLedgerBlock, findSuccessor } from './chain.ts'
import { freezeWallet } from './freeze.ts'
import { returnBlock } from './return.ts'
import type { Step } from './step.ts'
import { readStored } from './stored-block.ts'

/** Refusals that a block of ours cannot get unless another signer has moved the account or the node is wrong. */
const IMPOSSIBLE = new Set([
  'Bad signature',
  'Unreceivable',
  'Negative spend',
  'Balance and amount delta do not match',
  'This block cannot follow the previous block',
  'Block attempts to open the burn account',
])

/** Limits a node's message to one line, for the log and the caller. */
const WORDS_MAX = 200

/**
 * Publishes a signed block, always with the same bytes. After a lost reply or a refusal, the hash is looked up; a confirmed foreign block
 * in its place freezes the wallet.
 */
export async function broadcastBlock(ctx: WalletContext, wallet: Wallet, open: OutboxBlock): Promise<Step> {
  const { store, node, queue, work, thresholds } = ctx
  const block = readStored(open)
  const hash = open.hash!
  queue.forgetRefusal(open.id)
  try {
    await node.publish(block, undefined)
  } catch (error) {
    if (!(await findLedgerBlock(node, hash))) return resolveRefusal(ctx, { wallet, open, block, error })
  }
  const broadcastAt = store.clock.now()
  await markBroadcast(store.db, open.id, broadcastAt)
  queue.reportBlock(open.id, { ...open, status: 'broadcast', broadcastAt })
  notifyWallet(ctx, wallet)
  work.prepare(wallet.address, hash, thresholds.send)
  return 'sent'
}

interface Refused {
  wallet: Wallet
  open: OutboxBlock
  block: StateBlock
  error: unknown
}

/**
 * A single node's refusal decides nothing: only a confirmed block in the place of ours does. Until then, the same bytes are published
 * again, and the operator is notified.
 */
async function resolveRefusal(ctx: WalletContext, { wallet, open, block, error }: Refused): Promise<Step> {
  if (!(error instanceof LedgerRefusal)) throw error
  const words = error.message.replaceAll(/\s+/g, ' ').slice(0, WORDS_MAX)
  const { node, queue, alarm, thresholds } = ctx
  const note = (lasting: boolean) =>
    queue.noteRefusal({ blockId: open.id, walletId: wallet.id, hash: open.hash!, words, lasting })
  const raise = (instead = '') => {
    note(true)
    alarm('refused', { walletId: wallet.id, reason: `A node refuses block ${open.hash}${instead}: ${words}.` })
  }
  if (/\bwork\b/i.test(words)) {
    if (workValue(rootOf(block), block.work) < thresholds.send) {
      note(false)
      return renewWork(ctx, open, block)
    }
    // The work meets our network's threshold, so the node belongs to another network, or the network has changed.
    raise()
    return 'waiting'
  }
  const rival = await findSuccessor(node, wallet.address, block.previous)
  const isForeign = rival !== undefined && rival !== open.hash
  const found = isForeign ? (await node.readBlocks([rival])).get(rival) : undefined
  if (found?.isFinal && found.signer === block.account && previousOf(found.block) === block.previous) {
    const own = await findOwnBlock(ctx.store.db, wallet.id, rival!)
    if (own?.status === 'void') return returnBlock(ctx, wallet, { own, instead: open })
    await freezeWallet(ctx, wallet, { reason: `Someone else has signed block ${rival}.`, lost: open })
    return 'idle'
  }
  if (isForeign) raise(`, which has the unconfirmed block ${rival} instead`)
  else if (IMPOSSIBLE.has(words)) raise()
  else note(false)
  return 'waiting'
}

/** The network requires more work than when the block was signed. Work is not part of the hash, so it can be replaced. */
async function renewWork(
  { store, work, thresholds }: WalletContext,
  open: OutboxBlock,
  block: StateBlock,
): Promise<Step> {
  const payer = `wallet:${open.walletId}`
  const found = await work.generate({ root: rootOf(block), threshold: thresholds.send, class: 'wallet', payer })
  if (found.work === block.work) return 'waiting'
  await updateWork(store.db, open.id, JSON.stringify(toBlockJson({ ...block, work: found.work })))
  return 'moved'
}
