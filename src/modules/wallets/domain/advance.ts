import { isDisagreement } from '../../../kernel/errors.ts'
import { fromAddress } from '../../../kernel/nano/address.ts'
import { type Block, previousOf } from '../../../kernel/nano/block.ts'
import { isEpoch, type LedgerBlock } from '../../../kernel/nano/ledger-send.ts'
import { type WalletContext, notifyWallet } from '../context.ts'
import { LockLost } from '../errors.ts'
import { findOwnBlock, isFollowed, type OutboxBlock, listLost } from '../outbox-store.ts'
import { type Unfinished, readUnfinished } from '../unfinished-store.ts'
import { FOREIGN, markAdopted } from '../frozen-store.ts'
import type { WalletLock } from '../lock-store.ts'
import { type Wallet, findWallet, moveFrontier, updateFreeFrontier, updateFrontier } from '../store.ts'
import { broadcastBlock } from './broadcast.ts'
import { type Chain, readChain } from './chain.ts'
import { findForeign } from './compare.ts'
import { fillQueued } from './fill.ts'
import { freezeWallet } from './freeze.ts'
import { underLock, withLock } from './lock.ts'
import { refuseLate } from './refuse.ts'
import { releaseDenied } from './release.ts'
import { returnBlock } from './return.ts'
import type { Step } from './step.ts'
import { maintainWallet, maintainsItself } from './maintain.ts'
import { releaseSpends } from '../../accounts/index.ts'
import { clearDenied, isSignedSince, markSettled, settleVoid, restoreVoid } from '../void-store.ts'
import { allOrNone } from '../../../kernel/store-connection.ts'
import { markConfirmed, markFound, releaseSource, reopenLost } from '../outbox-moves-store.ts'
import { cancelPlan, findOpenPlan } from '../plans-store.ts'
import { readStored, sourceOf } from './stored-block.ts'

/** After this time without confirmation, a block is published again. */
const REBROADCAST_MILLISECONDS = 10_000

/**
 * Does what `confirmBlock` does, but without taking the lock. This is enough for a block that only waits for its confirmation: the statement that
 * updates the wallet locks its row, and succeeds only while no instance has the wallet's lock. Undefined when an instance has it, or when more must
 * be done.
 */
async function confirmFree(ctx: WalletContext, wallet: Wallet, open: OutboxBlock): Promise<Step | undefined> {
  const { db, clock } = ctx.store
  const found = await readOwnBlock(ctx, open)
  const now = clock.now()
  if (!found || (!found.isFinal && isOld(open, now))) return undefined
  if (!found.isFinal) return 'waiting'
  const to = { id: wallet.id, frontier: open.hash!, balance: open.balance!, now }
  const [isFree, isFirst] = await allOrNone(db, (tx) => [updateFreeFrontier(tx, to), markConfirmed(tx, open.id, now)])
  if (!isFree || !isFirst) return undefined
  notifyWallet(ctx, wallet)
  return 'moved'
}

/** Records a confirmation: the wallet's state is now that after this block. Safe to repeat. */
async function confirmBlock(ctx: WalletContext, wallet: Wallet, open: OutboxBlock): Promise<Step> {
  const { store } = ctx
  const found = await readOwnBlock(ctx, open)
  if (found?.isFinal) {
    await store.db.transaction().execute(async (tx) => {
      if (!(await markConfirmed(tx, open.id, store.clock.now()))) return
      await updateFrontier(tx, wallet.id, open.hash!, open.balance!)
    })
    notifyWallet(ctx, wallet)
    return 'moved'
  }
  // A node may drop an unconfirmed block; publishing the same bytes brings it back.
  if (found && !isOld(open, store.clock.now())) return 'waiting'
  const step = await broadcastBlock(ctx, wallet, open)
  return step === 'sent' ? 'waiting' : step
}

/** The next block is signed on this one, so the required number of nodes must report it confirmed. */
async function readOwnBlock(
  { node, queue, store }: WalletContext,
  open: OutboxBlock,
): Promise<LedgerBlock | undefined> {
  const found = (await node.readBlocks([open.hash!])).get(open.hash!)
  // Nodes confirm a block at different moments, and only the first confirmation is an event, so look again soon.
  if (found && !found.isFinal && found.confirmedBy > 0 && !isOld(open, store.clock.now())) queue.lookSoon(open.walletId)
  return found
}

const isOld = ({ broadcastAt }: OutboxBlock, now: number) => (broadcastAt ?? 0) + REBROADCAST_MILLISECONDS <= now

/** At most this many steps in one pass; the next pass does the rest. */
const STEPS_MAX = 200

/**
 * Brings the blocks of one wallet forward, one after another, until nothing moves; a started block is finished first. Every step is
 * derived from the store alone, so a pass may end anywhere and any process can continue. With `inspect`, it also compares an idle wallet
 * with the ledger, and releases blocks that can never be confirmed.
 */
export async function advanceWallet(ctx: WalletContext, walletId: string, { inspect = false } = {}): Promise<Step> {
  const { db } = ctx.store
  const [known, { open, ...wishes }] = await Promise.all([findWallet(db, walletId), readUnfinished(db, walletId)])
  if (!known || known.frozenAt !== null) return 'idle'
  const confirmed = open?.status === 'broadcast' && !inspect ? await confirmFree(ctx, known, open) : undefined
  if (confirmed === 'waiting') return confirmed
  const actsItself = inspect || known.unfrozenAt !== null || maintainsItself(known, ctx.rules)
  const isAsked = wishes.sends.length + wishes.receives.length > 0 || hasLate(wishes, ctx.store.clock.now())
  const isUnfinished = (open && !confirmed) || isAsked
  if (!actsItself && !isUnfinished) return 'idle'
  const ended = await withLock(ctx, walletId, async (lock, locked) => {
    let step: Step = 'moved'
    let doubt: unknown
    try {
      for (let steps = 0; steps < STEPS_MAX && step === 'moved'; steps++) {
        step = await takeStep(ctx, lock, { inspect, wallet: steps === 0 ? locked : await findWallet(db, walletId) })
      }
    } catch (error) {
      if (!isDisagreement(error)) throw error
      step = 'waiting'
      doubt = error
    }
    // Runs even when nodes disagree. If one node has the denied block, the wait before the release starts again.
    if (inspect) await (step === 'waiting' ? releaseDenied : settleReleased)(ctx, lock, walletId)
    if (doubt !== undefined) throw doubt
    return step
  }).catch((error: unknown) => {
    // Another process took the lock and continues.
    if (error instanceof LockLost) return 'waiting' as const
    throw error
  })
  return ended ?? 'waiting'
}

interface Stand {
  wallet: Wallet | undefined
  inspect: boolean
}

async function takeStep(ctx: WalletContext, lock: WalletLock, { wallet, inspect }: Stand): Promise<Step> {
  const { db, clock } = ctx.store
  if (!wallet || wallet.frozenAt !== null) return 'idle'
  const { open, ...wishes } = await readUnfinished(db, wallet.id)
  const asked = wishes.sends.length + wishes.receives.length
  const tends = maintainsItself(wallet, ctx.rules)
  if (open?.status === 'signed') return toNext(await broadcastBlock(ctx, wallet, open), true)
  if (open) return confirmBlock(ctx, wallet, open)
  if (wallet.unfrozenAt !== null) return adoptLedger(ctx, lock, wallet)
  const now = clock.now()
  if (hasLate(wishes, now)) {
    for (const blockId of await refuseLate(db, wallet.id, now)) ctx.queue.reportBlock(blockId)
    notifyWallet(ctx, wallet)
    return 'moved'
  }
  if (asked === 0 && !tends && !inspect) return 'idle'
  const chain = await readChain(ctx.node, wallet.address)
  const agreed = await agree(ctx, lock, wallet, chain)
  if (agreed !== 'agreed') return agreed
  if (asked > 0) return toNext(await fillQueued(ctx, lock, { wallet, chain }, wishes), tends || asked > 1)
  return tends ? maintainWallet(ctx, lock, wallet, chain) : 'idle'
}

/** Whether a send has passed its deadline, including sends on hold. */
const hasLate = ({ sends, held }: Pick<Unfinished, 'sends' | 'held'>, now: number) =>
  [...sends, ...held].some(({ deadlineAt }) => deadlineAt !== null && deadlineAt <= now)

/**
 * After a block was sent, the wallet usually continues when the confirmation arrives. The pass goes on at once only if the wallet has more to do, or
 * if the block was signed in an earlier pass.
 */
const toNext = (step: Step, isAwaited: boolean): Step => (step === 'sent' && isAwaited ? 'moved' : step)

/** Nothing is signed unless the ledger's state of the account equals our record exactly. */
async function agree(ctx: WalletContext, lock: WalletLock, wallet: Wallet, chain: Chain): Promise<Step | 'agreed'> {
  const foreign = await findForeign(ctx, wallet, chain)
  if (foreign === 'none') return 'agreed'
  if (foreign === 'behind') return 'waiting'
  const found = (await ctx.node.readBlocks([foreign])).get(foreign)
  const own = found && (await findOwnBlock(ctx.store.db, wallet.id, foreign))
  if (own?.status === 'void') return found?.isFinal ? returnBlock(ctx, wallet, { own }) : 'waiting'
  // A node can report any block and balance; only a block signed for this account, or an upgrade by the network, counts.
  if (found && found.signer === fromAddress(wallet.address)) {
    return (await contradicts(ctx, wallet, found.block, foreign)) ? freeze(ctx, wallet, foreign) : 'waiting'
  }
  if (!found?.isFinal || !isEpoch(found.block)) return 'waiting'
  const { previous, balance } = found.block
  if (previous !== wallet.frontier || balance !== wallet.balance) return 'waiting'
  return (await underLock(ctx, lock, (db) => moveFrontier(db, wallet, { frontier: foreign, balance })))
    ? 'moved'
    : 'waiting'
}

/** Whether a block with our signature is unknown to our record, or states another balance. */
async function contradicts({ store }: WalletContext, wallet: Wallet, block: Block, hash: string): Promise<boolean> {
  if (hash === wallet.frontier) return block.type !== 'state' || block.balance !== wallet.balance
  // Only a block that follows our frontier, or that stands in the place of a confirmed block of ours, contradicts our record. An older block that a
  // node names again does not.
  const previous = previousOf(block)
  if (previous !== wallet.frontier && !(await isFollowed(store.db, wallet.id, previous))) return false
  const own = await findOwnBlock(store.db, wallet.id, hash)
  return !own || own.status === 'lost'
}

async function freeze(ctx: WalletContext, wallet: Wallet, foreign: string): Promise<Step> {
  await freezeWallet(ctx, wallet, { reason: `${FOREIGN}${foreign}, which was not signed here.`, isForeign: true })
  return 'idle'
}

/**
 * Nodes that deny a void block do not prove that it will never be confirmed: they may be hiding it. A later final block of the same wallet
 * proves it, because an account has one chain. Only then has a void send failed, and what was reserved for it is released.
 */
async function settleReleased(ctx: WalletContext, lock: WalletLock, walletId: string): Promise<void> {
  const { store, node, queue } = ctx
  const wallet = await findWallet(store.db, walletId)
  // The wallet makes progress again: the denied block has appeared, or was released.
  if (wallet?.denied) await underLock(ctx, lock, (db) => clearDenied(db, walletId))
  if (!wallet || wallet.voidedAt === null) return
  if (!(await isSignedSince(store.db, walletId, wallet.frontier, wallet.voidedAt))) return
  if (!(await node.readBlocks([wallet.frontier])).get(wallet.frontier)?.isFinal) return
  const settled = await underLock(ctx, lock, async (db) => {
    if (!(await markSettled(db, wallet))) throw new LockLost()
    const ids = await settleVoid(db, walletId, 'send_void')
    await releaseSpends(db, ids)
    return ids
  })
  for (const id of settled) queue.reportBlock(id)
  notifyWallet(ctx, wallet)
}

/**
 * The first step of an unfrozen wallet, once none of its blocks is open: the state that the ledger has confirmed becomes our record, even
 * where another signer made it. A lost block releases its deposit, but its frontier stays used.
 */
async function adoptLedger(ctx: WalletContext, lock: WalletLock, wallet: Wallet): Promise<Step> {
  const { store, node } = ctx
  const chain = await readChain(node, wallet.address)
  if (!(await isSettled(ctx, wallet, chain))) return 'waiting'
  const lost = await listLost(store.db, wallet.id)
  const found = new Set<OutboxBlock>()
  const known = await node.readBlocks(lost.map(({ hash }) => hash!))
  for (const block of lost) if (known.get(block.hash!)?.isFinal) found.add(block)
  const moved = await underLock(ctx, lock, async (db, now) => {
    if (!(await moveFrontier(db, wallet, chain))) return false
    for (const block of lost) {
      if (found.has(block) && block.status === 'void') {
        await restoreVoid(db, block, { previous: readStored(block).previous, sourceHash: sourceOf(block) }, now)
      } else if (found.has(block)) await markFound(db, block.id, now)
      else if (block.status === 'void') continue
      else if (block.previous === chain.frontier) await reopenLost(db, block.id)
      else await releaseSource(db, block.id)
    }
    const plan = await findOpenPlan(db, wallet.id)
    if (plan !== undefined) await cancelPlan(db, plan, now)
    await markAdopted(db, wallet.id)
    return true
  })
  return moved ? 'moved' : 'waiting'
}

/** Whether the ledger's state is final, and not the answer of a node that is behind our record. */
async function isSettled(ctx: WalletContext, wallet: Wallet, chain: Chain): Promise<boolean> {
  if (chain.frontier === wallet.frontier) return true
  if ((await findForeign(ctx, wallet, chain)) === 'behind') return false
  const found = (await ctx.node.readBlocks([chain.frontier])).get(chain.frontier)
  if (!found?.isFinal || found.block.type !== 'state' || found.block.balance !== chain.balance) return false
  return found.signer === fromAddress(wallet.address) || isEpoch(found.block)
}
