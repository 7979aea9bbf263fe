import type { BlockRefusal } from '../../kernel/wallet-alarm.ts'
import { whenOver } from '../../kernel/when-over.ts'
import { walletBusy } from './errors.ts'
import type { OutboxBlock } from './outbox-store.ts'

const REFUSALS_MAX = 10_000

/** Resolves once a block has left, with the block as it is then, or was refused; the function ends the wait. */
export interface BlockWatch {
  settled: Promise<OutboxBlock | undefined>
  forget(): void
}

/**
 * The wallets of this process in line: one pass over a wallet at a time, and callers that ask meanwhile share the next one.
 * It knows nothing that may not be lost; the order of blocks is in the store.
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

  /** Resolves with the end of a pass that began after the call; fails when that pass does. */
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

  /** Tells when a block has left or was refused, in this process. */
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

  tellBlock(blockId: string, left?: OutboxBlock): void {
    for (const resolve of this.#waiting.get(blockId) ?? []) resolve(left)
  }

  noteRefusal(refusal: BlockRefusal): void {
    if (this.#refusals.size >= REFUSALS_MAX) this.#refusals.clear()
    this.#refusals.set(refusal.blockId, refusal)
    if (refusal.lasting) this.tellBlock(refusal.blockId)
  }

  refusalOf(blockId: string): BlockRefusal | undefined {
    return this.#refusals.get(blockId)
  }

  forgetRefusal(blockId: string): void {
    this.#refusals.delete(blockId)
  }

  /** Begins no further pass and waits for the running ones. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#running.values(), ...this.#next.values()].map(whenOver))
  }

  #run(walletId: string): Promise<void> {
    // Whatever is begun is taken up by the next process.
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
