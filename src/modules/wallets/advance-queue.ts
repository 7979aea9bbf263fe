import type { BlockRefusal } from '../../kernel/wallet-alarm.ts'
import { whenOver } from '../../kernel/when-over.ts'
import { walletBusy } from './errors.ts'
import type { OutboxBlock } from './outbox-store.ts'

const REFUSALS_MAX = 10_000

/** `settled` resolves with the block once it is broadcast, or without one when it is refused; `forget` ends the wait. */
export interface BlockWatch {
  settled: Promise<OutboxBlock | undefined>
  forget(): void
}

/**
 * Runs the passes over the wallets of this process: one at a time for each wallet, and callers that ask meanwhile share the next pass.
 * Nothing here needs to survive a crash, because the order of blocks is in the store.
 */
export class AdvanceQueue {
  readonly #pass: (walletId: string) => Promise<unknown>
  readonly #running = new Map<string, Promise<void>>()
  readonly #next = new Map<string, Promise<void>>()
  readonly #waiting = new Map<string, Set<(left?: OutboxBlock) => void>>()
  readonly #refusals = new Map<string, BlockRefusal>()
  #closed = false

  constructor(pass: (walletId: string) => Promise<unknown>) {
    this.#pass = pass
  }

  /** Resolves at the end of a pass that began after this call; rejects when that pass fails. */
  advance(walletId: string): Promise<void> {
    const running = this.#running.get(walletId)
    if (!running) return this.#run(walletId)
    const known = this.#next.get(walletId)
    if (known) return known
    const next = whenOver(running).then(() => {
      this.#next.delete(walletId)
      return this.#run(walletId)
    })
    this.#next.set(walletId, next)
    return next
  }

  /** Resolves when this process learns that a block was broadcast or refused. */
  watchBlock(blockId: string): BlockWatch {
    const { promise, resolve } = Promise.withResolvers<OutboxBlock | undefined>()
    const waiting = this.#waiting.get(blockId) ?? new Set()
    this.#waiting.set(blockId, waiting.add(resolve))
    const forget = () => {
      waiting.delete(resolve)
      if (waiting.size === 0) this.#waiting.delete(blockId)
    }
    return { settled: promise, forget }
  }

  reportBlock(blockId: string, left?: OutboxBlock): void {
    for (const resolve of this.#waiting.get(blockId) ?? []) resolve(left)
  }

  noteRefusal(refusal: BlockRefusal): void {
    if (this.#refusals.size >= REFUSALS_MAX) this.#refusals.clear()
    this.#refusals.set(refusal.blockId, refusal)
    if (refusal.lasting) this.reportBlock(refusal.blockId)
  }

  refusalOf(blockId: string): BlockRefusal | undefined {
    return this.#refusals.get(blockId)
  }

  forgetRefusal(blockId: string): void {
    this.#refusals.delete(blockId)
  }

  /** Starts no further pass and waits for the running ones. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#running.values(), ...this.#next.values()].map(whenOver))
  }

  #run(walletId: string): Promise<void> {
    // The next process finishes whatever is under way.
    if (this.#closed) return Promise.reject(walletBusy())
    const pass = this.#pass(walletId)
      .then(() => undefined)
      .finally(() => {
        if (this.#running.get(walletId) === pass) this.#running.delete(walletId)
      })
    this.#running.set(walletId, pass)
    return pass
  }
}
