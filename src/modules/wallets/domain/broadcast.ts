import { LedgerRefusal } from '../../../kernel/errors.ts'
import { type StateBlock, fromBlockJson, rootOf, toBlockJson } from '../../../kernel/nano/block.ts'
import type { WalletCtx } from '../ctx.ts'
import { type OutboxBlock, markBroadcast, updateWork } from '../outbox-store.ts'
import type { Wallet } from '../store.ts'
import { findLedgerBlock, findSuccessor } from './chain.ts'
import { freezeWallet } from './freeze.ts'
import type { Step } from './step.ts'

/** Refusals that cannot be for a block of ours, unless somebody else has moved the account. */
const IMPOSSIBLE = new Set([
  'Bad signature',
  'Unreceivable',
  'Negative spend',
  'Balance and amount delta do not match',
  'This block cannot follow the previous block',
  'Block attempts to open the burn account',
])

/**
 * Brings a signed block to the ledger, always with the same bytes. A lost reply and a refusal are both resolved by
 * looking the hash up; a foreign block in its place freezes the wallet.
 */
export async function broadcastBlock(ctx: WalletCtx, wallet: Wallet, open: OutboxBlock): Promise<Step> {
  const { store, node, custody, work, thresholds } = ctx
  const block = readStored(open)
  const hash = open.hash!
  try {
    await node.publish(block, undefined)
  } catch (error) {
    if (!(await findLedgerBlock(node, hash))) return resolveRefusal(ctx, { wallet, open, block, error })
  }
  await markBroadcast(store.db, open.id, store.clock.now())
  custody.tellBlock(open.id)
  work.prepare(wallet.address, hash, thresholds.send)
  return 'moved'
}

interface Refused {
  wallet: Wallet
  open: OutboxBlock
  block: StateBlock
  error: unknown
}

async function resolveRefusal(ctx: WalletCtx, { wallet, open, block, error }: Refused): Promise<Step> {
  if (!(error instanceof LedgerRefusal)) throw error
  const { message } = error
  if (/work/i.test(message)) return renewWork(ctx, open, block)
  if (message === 'Fork') {
    const rival = await findSuccessor(ctx.node, wallet.address, block.previous)
    if (rival === open.hash) return 'moved'
    // A node that says so and shows nothing may only be behind.
    if (rival === undefined) return 'waiting'
    await freezeWallet(ctx, wallet, `Somebody else has signed block ${rival}.`)
    return 'idle'
  }
  if (!IMPOSSIBLE.has(message)) return 'waiting'
  await freezeWallet(ctx, wallet, `The ledger refuses block ${open.hash}: ${message}.`)
  return 'idle'
}

/** The network asks for more than when the block was signed. Work is not part of the hash, so that it may be replaced. */
async function renewWork({ store, work, thresholds }: WalletCtx, open: OutboxBlock, block: StateBlock): Promise<Step> {
  const payer = `wallet:${open.walletId}`
  const found = await work.generate({ root: rootOf(block), threshold: thresholds.send, class: 'wallet', payer })
  if (found.work === block.work) return 'waiting'
  await updateWork(store.db, open.id, JSON.stringify(toBlockJson({ ...block, work: found.work })))
  return 'moved'
}

function readStored({ block: text }: OutboxBlock): StateBlock {
  const members = JSON.parse(text!) as Record<string, string>
  const block = fromBlockJson((name) => members[name])
  if (block?.type !== 'state') throw new Error('The outbox holds a block that is none.')
  return block
}
