import { isDisagreement } from '../../../kernel/errors.ts'
import type { Clock } from '../../../kernel/ports.ts'
import { blockRefused, notSent, outcomeOpen, refusedSend, walletBusy, walletFrozen } from '../errors.ts'
import { type OutboxBlock, findBlock } from '../outbox-store.ts'
import type { WalletContext } from '../context.ts'
import { refuseSend } from './refuse.ts'

/** How often to check a wallet that waits for another instance or a confirmation. */
const LOOK_EVERY = 200

/**
 * Waits until a send is on the ledger, or certainly never will be. Giving up cancels the send in one statement; one that is already signed
 * cannot be cancelled and is sent in the background. When a node refuses it meanwhile, the caller gets the node's message at once,
 * because only an operator can help.
 */
export async function waitUntilSent(
  ctx: WalletContext,
  asked: OutboxBlock | { id: string; walletId: string },
): Promise<OutboxBlock> {
  const { store, rules, queue } = ctx
  const { id, walletId } = asked
  const { db, clock } = store
  const until = clock.now() + rules.waitMilliseconds
  const watch = queue.watchBlock(id)
  let failure: unknown
  /** Disagreement between nodes usually ends soon, unless one of them is dishonest. */
  let doubt: unknown
  // A send queued just now needs no read; any other was read a moment ago.
  let known = 'status' in asked ? asked : undefined
  let isNew = known === undefined
  try {
    for (;;) {
      const isOver = failure !== undefined || clock.now() >= until
      if (isOver && (await refuseSend(db, id, 'wallet_busy'))) {
        queue.reportBlock(id)
        throw notSent(failure ?? doubt)
      }
      if (isOver || !isNew) {
        const block = (isOver ? undefined : known) ?? (await findBlock(db, id))
        if (!block) throw walletBusy()
        if (block.status === 'broadcast' || block.status === 'confirmed') return block
        // The deadline was reached within a pass.
        if (block.status === 'refused' && block.refusal === 'wallet_busy') throw notSent(doubt)
        if (block.status === 'refused') throw refusedSend(block.refusal)
        if (block.status === 'lost') throw walletFrozen()
        if (block.status === 'void')
          throw block.refusal === null ? outcomeOpen(block.hash!) : refusedSend(block.refusal)
        if (isOver) throw stillOpen(ctx, block, failure)
      }
      isNew = false
      known = undefined
      let left: OutboxBlock | undefined
      try {
        const passed = queue.advance(walletId).then(() => undefined)
        left = await waitAtMost(clock, until - clock.now(), Promise.race([passed, watch.settled]))
      } catch (error) {
        if (!isDisagreement(error)) {
          failure = error
          continue
        }
        doubt = error
      }
      // This process has just broadcast and stored it.
      if (left) return left
      known = await findBlock(db, id)
      const refusal = queue.refusalOf(id)
      if (known?.status === 'signed' && refusal?.lasting === true) throw blockRefused(refusal)
      if (known?.status === 'queued' || known?.status === 'signed') {
        await waitAtMost(clock, Math.min(LOOK_EVERY, until - clock.now()), watch.settled)
        known = undefined
      }
    }
  } finally {
    watch.forget()
  }
}

/** The send could not be cancelled: it is signed, or owed by the service, and is sent in the background. */
function stillOpen({ queue }: WalletContext, { id, hash }: OutboxBlock, failure: unknown): unknown {
  if (hash === null) return notSent(failure)
  const refusal = queue.refusalOf(id)
  return refusal ? blockRefused(refusal) : outcomeOpen(hash, failure)
}

/** Waits at most so many milliseconds; then returns undefined, while what it waited for continues. */
export async function waitAtMost<T>(clock: Clock, milliseconds: number, something: Promise<T>): Promise<T | undefined> {
  if (milliseconds <= 0) return undefined
  let cancel = () => {}
  const timer = new Promise<undefined>((resolve) => {
    cancel = clock.after(milliseconds, () => resolve(undefined))
  })
  try {
    return await Promise.race([something, timer])
  } finally {
    cancel()
  }
}
