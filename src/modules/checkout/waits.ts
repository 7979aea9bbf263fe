import { overLimit } from '../../kernel/errors.ts'
import type { Leaving } from '../../kernel/leaving.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import { getCheckout, showCheck } from './domain/show.ts'
import { OPEN_STATUSES } from './record.ts'
import type { CheckoutContext } from './context.ts'

export const WAIT_SECONDS_MAX = 60
const OF_ONE_MAX = 10
/** A small part of what a process serves at once: where more wait, the next ones are answered at once. */
const OF_ALL_MAX = 500

const isOpen = (status: unknown) => OPEN_STATUSES.some((open) => open === status)

interface Wait {
  isMoved: boolean
  wake(): void
}

interface Asked {
  id: string
  seconds: number
  /** Whose share of the waiting places it uses. */
  who: string
  leaving?: Leaving
}

/** Callers who wait until a checkout changes. Waiting takes memory only. */
export class StatusWaits {
  readonly #clock: Clock
  readonly #byCheckout = new Map<string, Set<Wait>>()
  readonly #byCaller = new Map<string, number>()
  #count = 0
  #isOver = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Answers `/check`: at once for a final status, otherwise when the status or the paid amount changes, or when the time is over. */
  async read(ctx: CheckoutContext, { id: given, seconds, who, leaving }: Asked): Promise<JsonObject> {
    const show = async () => showCheck(ctx, await getCheckout(ctx, given))
    const { id, status } = await getCheckout(ctx, given)
    if (seconds === 0 || !isOpen(status) || this.#isOver || this.#count >= OF_ALL_MAX) return show()
    const wait = this.#enter(id, who)
    const stop = leaving?.onLeave(() => wait.wake())
    try {
      const until = this.#clock.now() + seconds * 1_000
      const first = await show()
      for (;;) {
        // Set before the checkout is read, so that a change during the read is not missed.
        wait.isMoved = false
        const now = await show()
        const left = until - this.#clock.now()
        const hasMoved = now.status !== first.status || now.amount_paid_raw !== first.amount_paid_raw
        // It may have ended before the first look here.
        if (hasMoved || !isOpen(now.status) || left <= 0 || this.#isOver || leaving?.left === true) return now
        await this.#rest(wait, left)
      }
    } finally {
      stop?.()
      this.#leave(id, who, wait)
    }
  }

  /** Wakes the callers who wait for this checkout, after a change on any instance. */
  moved(id: string): void {
    for (const wait of this.#byCheckout.get(id) ?? []) wait.wake()
  }

  /** Answers all waiting callers, because the gateway is about to stop. */
  end(): void {
    this.#isOver = true
    for (const waits of this.#byCheckout.values()) for (const wait of waits) wait.wake()
  }

  #rest(wait: Wait, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      if (wait.isMoved || this.#isOver) return resolve()
      const cancel = this.#clock.after(milliseconds, resolve)
      wait.wake = () => {
        wait.isMoved = true
        cancel()
        resolve()
      }
    })
  }

  #enter(id: string, who: string): Wait {
    const ofCaller = this.#byCaller.get(who) ?? 0
    if (ofCaller >= OF_ONE_MAX) throw overLimit(`${OF_ONE_MAX} requests of one caller may wait for a payment.`, 1)
    const wait: Wait = { isMoved: false, wake: () => void (wait.isMoved = true) }
    const waits = this.#byCheckout.get(id) ?? new Set()
    this.#byCheckout.set(id, waits.add(wait))
    this.#byCaller.set(who, ofCaller + 1)
    this.#count++
    return wait
  }

  #leave(id: string, who: string, wait: Wait): void {
    const waits = this.#byCheckout.get(id)
    waits?.delete(wait)
    if (waits?.size === 0) this.#byCheckout.delete(id)
    const left = (this.#byCaller.get(who) ?? 1) - 1
    if (left === 0) this.#byCaller.delete(who)
    else this.#byCaller.set(who, left)
    this.#count--
  }
}
