import { actorOf } from '../../../kernel/actor.ts'
import type { Db } from '../../../kernel/db.ts'
import { LedgerRefusal } from '../../../kernel/errors.ts'
import { type Raw, toRaw } from '../../../kernel/money.ts'
import { type Block, ZERO_HASH } from '../../../kernel/nano/block.ts'
import { isEpoch } from '../../../kernel/nano/ledger-send.ts'
import type { Survey } from '../../../kernel/ports.ts'
import { insertAudit } from '../../accounts/index.ts'
import { type WalletContext, notifyWallet } from '../context.ts'
import type { WalletLock } from '../lock-store.ts'
import { type OutboxBlock, findOpenBlock, findOwnBlock, isFollowed } from '../outbox-store.ts'
import { cancelPlan, findOpenPlan } from '../plans-store.ts'
import { type Wallet, findWallet, moveFrontier } from '../store.ts'
import { clearDenied, hasOtherConfirmed, markDenied, markReleased, markVoid } from '../void-store.ts'
import { readHead } from './chain.ts'
import { underLock } from './lock.ts'
import { readStored, sourceOf } from './stored-block.ts'

/** At most this many blocks are released at once. A node that lacks more than this has lost its ledger. */
const BLOCKS_MAX = 100

/** The blocks of our record after the point where it differs from the ledger's chain. */
interface Branch {
  /** The last block that both have, or zeros. */
  base: string
  /** The account's last block according to one node. */
  head: string
  /** The ledger's block after `base`, if any: a void block of ours. */
  next: string | undefined
  /** Our blocks, the oldest first. */
  blocks: OutboxBlock[]
  /** The block on which the first of them builds, when that is neither `base` nor ours. */
  foreign: string | undefined
}

/**
 * Recovers a wallet that waits because nodes lied to it and it signed on a block that no node has. It asks all nodes; once all of them have
 * denied the block for long enough, the wallet's blocks on it become void and its state is the ledger's again. A block that can still
 * be confirmed is never made void: it is published again.
 */
export async function releaseDenied(ctx: WalletContext, lock: WalletLock, walletId: string): Promise<void> {
  const { store, node, rules } = ctx
  const { db, clock } = store
  const [wallet, open] = await Promise.all([findWallet(db, walletId), findOpenBlock(db, walletId)])
  if (!wallet || wallet.frozenAt !== null) return
  const head = await readHead(node, wallet.address)
  const branch = await readBranch(db, { wallet, open, head })
  const survey = branch && mayBeDenied(branch) ? await askAbout(ctx, wallet, branch) : undefined
  const why = branch && survey && findWhy(branch, survey)
  if (!branch || !survey || why === undefined) {
    if (wallet.denied) await underLock(ctx, lock, (tx) => clearDenied(tx, wallet.id))
    if (branch && survey && !hasAny(branch, survey)) await bringAgain(ctx, branch)
    return
  }
  if (survey.nodes === 0 || survey.frontier !== head) return
  const balance = await readBase(ctx, wallet, branch)
  if (balance === undefined) return
  const root = branch.foreign ?? branch.blocks[0]!.hash!
  const now = clock.now()
  const denied = wallet.denied?.hash === root ? wallet.denied : { since: now, rounds: 0 }
  const isLong = now - denied.since >= rules.releaseAfterMilliseconds
  if (!isLong || (survey.nodes < 2 && denied.rounds < 1)) {
    await underLock(ctx, lock, (tx) => markDenied(tx, wallet, root, now))
    return
  }
  await underLock(ctx, lock, (tx) => release({ ...ctx, store: { ...store, db: tx } }, wallet, { branch, balance, why }))
  const { alarm, queue } = ctx
  const hashes = branch.blocks.map(({ hash }) => hash)
  alarm('void', { walletId, reason: `Released ${hashes.join(', ') || 'no blocks'}, because ${why}.` })
  for (const { id } of branch.blocks) queue.reportBlock(id)
  notifyWallet(ctx, wallet)
}

/** Undefined when record and ledger do not differ, or differ further back than we look. */
async function readBranch(
  db: Db,
  { wallet, open, head }: { wallet: Wallet; open: OutboxBlock | undefined; head: string },
): Promise<Branch | undefined> {
  let [base, next]: [string, string | undefined] = [head, undefined]
  for (let steps = 0; ; steps++) {
    const own = await findOwnBlock(db, wallet.id, base)
    if (own?.status !== 'void') break
    if (steps === BLOCKS_MAX) return undefined
    next = base
    base = readStored(own).previous
  }
  const blocks: OutboxBlock[] = []
  let at = open?.hash ?? wallet.frontier
  while (at !== base) {
    const own = await findOwnBlock(db, wallet.id, at)
    if (!own) break
    const isLive = own.status === 'confirmed' || own.id === open?.id
    if (!isLive || blocks.length === BLOCKS_MAX) return undefined
    blocks.unshift(own)
    at = own.previous!
  }
  if (at === base && blocks.length === 0) return undefined
  // Before its first block, a wallet has no blocks of ours: the nodes have a chain unknown to us.
  if (at !== base && at === ZERO_HASH) return undefined
  return { base, head, next, blocks, foreign: at === base ? undefined : at }
}

/** False for a send on the ledger's own frontier: it may be confirmed at any time, so nodes need not be asked. */
function mayBeDenied({ blocks, foreign, next }: Branch): boolean {
  const [first] = blocks
  return foreign !== undefined || next !== undefined || first?.kind !== 'send' || first.status === 'confirmed'
}

const askAbout = (
  { askAllNodes }: WalletContext,
  { address }: Wallet,
  { blocks, foreign }: Branch,
): Promise<Survey> => {
  const source = blocks[0] && sourceOf(blocks[0])
  const hashes = [...blocks.map(({ hash }) => hash), foreign, source]
  return askAllNodes(
    address,
    hashes.filter((hash) => typeof hash === 'string'),
  )
}

const hasAny = ({ blocks, foreign }: Branch, { known }: Survey) =>
  blocks.some(({ hash }) => known.has(hash!)) || (foreign !== undefined && known.has(foreign))

/** Why no block of the branch can ever be confirmed, if the nodes are right; undefined when one may be. */
function findWhy(branch: Branch, survey: Survey): string | undefined {
  if (hasAny(branch, survey)) return undefined
  const { blocks, foreign, next } = branch
  if (foreign !== undefined) return `no node has block ${foreign}, on which they stand`
  if (next !== undefined) return `block ${next} is in their place`
  const source = sourceOf(blocks[0]!)
  return source !== null && !survey.known.has(source) ? `no node has ${source}, which the first receives` : undefined
}

/** The balance at the point where the chains differ; undefined when that is not certain. */
async function readBase({ store, node }: WalletContext, wallet: Wallet, branch: Branch): Promise<Raw | undefined> {
  const { base, next, foreign } = branch
  if (next !== undefined && !(await node.readBlocks([next])).get(next)?.isFinal) return undefined
  if (base === wallet.frontier) return wallet.balance
  const { db } = store
  if (base === ZERO_HASH) {
    const isFirst = foreign === undefined || !(await hasOtherConfirmed(db, wallet.id, branch.blocks))
    return isFirst ? toRaw(0n) : undefined
  }
  const found = (await node.readBlocks([base])).get(base)
  if (!found?.isFinal || found.block.type !== 'state') return undefined
  if (foreign !== undefined && !(await isOurs(db, wallet.id, base, found.block))) return undefined
  return found.block.balance
}

/** Whether a block is the last of our confirmed chain, or an upgrade by the network directly after it. */
async function isOurs(db: Db, walletId: string, hash: string, block: Block): Promise<boolean> {
  const last = isEpoch(block) ? block.previous : hash
  const own = await findOwnBlock(db, walletId, last)
  return own?.status === 'confirmed' && !(await isFollowed(db, walletId, last))
}

interface Released {
  branch: Branch
  balance: Raw
  why: string
}

async function release({ store }: WalletContext, wallet: Wallet, { branch, balance, why }: Released): Promise<void> {
  const { db, clock } = store
  const { blocks, base } = branch
  const now = clock.now()
  for (const block of blocks) if (!(await markVoid(db, block, null))) throw moved()
  if (base !== wallet.frontier && !(await moveFrontier(db, wallet, { frontier: base, balance }))) throw moved()
  await markReleased(db, wallet.id, now)
  // The plan would pay out money that the wallet never had.
  const plan = await findOpenPlan(db, wallet.id)
  if (plan !== undefined) await cancelPlan(db, plan, now)
  const { id, address, accountId } = wallet
  const hashes = blocks.map(({ hash }) => hash!)
  const detail = { id, address, hashes, frontier: base, reason: why }
  await insertAudit(store, { actor: actorOf.service('service'), accountId, what: 'wallet.released', detail })
}

const moved = () => new Error('A block has moved while it was about to be released.')

/** Publishes the same bytes again to nodes that lost them or never had them. Open blocks are published by their own passes. */
async function bringAgain({ node }: WalletContext, { blocks }: Branch): Promise<void> {
  for (const block of blocks.filter(({ status }) => status === 'confirmed')) {
    try {
      await node.publish(readStored(block), undefined)
    } catch (error) {
      if (error instanceof LedgerRefusal) return
      throw error
    }
  }
}
