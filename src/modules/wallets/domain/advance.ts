import { isDisagreement } from '../../../kernel/errors.ts'
import { fromAddress } from '../../../kernel/nano/address.ts'
import { type Block, previousOf } from '../../../kernel/nano/block.ts'
import { isEpoch } from '../../../kernel/nano/ledger-send.ts'
import { type WalletContext, notifyWallet } from '../context.ts'
import { LockLost } from '../errors.ts'
import { findOwnBlock, isFollowed } from '../outbox-store.ts'
import { type Unfinished, readUnfinished } from '../unfinished-store.ts'
import { FOREIGN } from '../frozen-store.ts'
import type { WalletLock } from '../lock-store.ts'
import { type Wallet, findWallet, moveFrontier } from '../store.ts'
import { adoptLedger } from './adopt.ts'
import { broadcastBlock } from './broadcast.ts'
import { type Chain, readChain } from './chain.ts'
import { findForeign } from './compare.ts'
import { confirmBlock, confirmFree } from './confirm.ts'
import { fillQueued } from './fill.ts'
import { freezeWallet } from './freeze.ts'
import { underLock, withLock } from './lock.ts'
import { refuseLate } from './refuse.ts'
import { releaseDenied } from './release.ts'
import { returnBlock } from './return.ts'
import { settleReleased } from './settle-void.ts'
import type { Step } from './step.ts'
import { maintainWallet, maintainsItself } from './maintain.ts'

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

/** The wallet usually continues when its confirmation arrives; it is checked at once only when something waits for it or it is sent late. */
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
  // Only a block at our next place, or in the place of a confirmed block of ours, contradicts our record; an older one reported again does not.
  const previous = previousOf(block)
  if (previous !== wallet.frontier && !(await isFollowed(store.db, wallet.id, previous))) return false
  const own = await findOwnBlock(store.db, wallet.id, hash)
  return !own || own.status === 'lost'
}

async function freeze(ctx: WalletContext, wallet: Wallet, foreign: string): Promise<Step> {
  await freezeWallet(ctx, wallet, { reason: `${FOREIGN}${foreign}, which was not signed here.`, isForeign: true })
  return 'idle'
}
