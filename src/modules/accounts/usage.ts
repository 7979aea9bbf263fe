import { type StoreCtx, inTx } from '../../kernel/in-tx.ts'
import { type UsageCount, addUsage } from './credits-store.ts'

const FLUSH_EVERY = 1_000
const KEYS_MAX = 500
const DAY = 86_400_000

/**
 * Counts calls by account, day and action, in memory. Every second, or when there are many, the counts are written as one batch. A batch keeps
 * its id until it is certainly written, so that it can be repeated and still counts once.
 */
export class UsageMeter {
  readonly #ctx: StoreCtx
  #counts = new Map<string, UsageCount>()
  #batches: { id: string; counts: UsageCount[] }[] = []
  #flushing: Promise<void> | undefined
  #cancelTimer: (() => void) | undefined
  #today = { number: -1, text: '' }

  constructor(ctx: StoreCtx) {
    this.#ctx = ctx
  }

  count(accountId: string, action: string): void {
    const day = this.#dayAt(this.#ctx.clock.now())
    const key = `${accountId} ${day} ${action}`
    const known = this.#counts.get(key)
    if (known) known.count++
    else this.#counts.set(key, { accountId, day, action, count: 1 })
    if (this.#counts.size >= KEYS_MAX) void this.flush()
    else this.#cancelTimer ??= this.#ctx.clock.after(FLUSH_EVERY, () => void this.flush())
  }

  /** The text of a day is computed once, not for every call. */
  #dayAt(now: number): string {
    const number = Math.floor(now / DAY)
    if (this.#today.number !== number) this.#today = { number, text: new Date(now).toISOString().slice(0, 10) }
    return this.#today.text
  }

  async close(): Promise<void> {
    await this.flush()
    await this.#flushing
  }

  flush(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (this.#counts.size > 0) {
      this.#batches.push({ id: this.#ctx.ids.next('usg'), counts: [...this.#counts.values()] })
      this.#counts = new Map()
    }
    this.#flushing ??= this.#write().finally(() => (this.#flushing = undefined))
    return this.#flushing
  }

  async #write(): Promise<void> {
    for (let batch = this.#batches[0]; batch; batch = this.#batches[0]) {
      const { id, counts } = batch
      try {
        await inTx(this.#ctx, ({ db, clock }) => addUsage(db, id, counts, clock.now()))
      } catch (error) {
        // The batch is kept and written with the next one.
        this.#ctx.failures.failed('accounts.usage')(error)
        return
      }
      this.#batches.shift()
    }
  }
}
