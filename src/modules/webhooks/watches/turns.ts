import type { ConfirmationBus } from '../../../kernel/ports.ts'
import type { Looked } from './look.ts'
import { markLooked, markTrouble } from './looks-store.ts'
import type { WatchContext } from './context.ts'
import type { Trouble, Watch } from './watch.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const AFTER_FAILURE = 2 * SECOND
/** While events arrive, looks are only a second safety net; the longer nothing has happened, the rarer they are. */
const PACE_MIN = 15 * SECOND
const PACE_MIN_CONNECTED = 5 * MINUTE
const PACE_MAX = 6 * 60 * MINUTE
const PACE_SHARE = 20
/** A node selected just now may be behind for a moment; only a longer failure is reported to the operator. */
const PATIENCE = MINUTE
const TROUBLED_PACE_SHARE = 4
const TROUBLED_PACE_MAX = 10 * MINUTE
const SAID_MAX = 10_000

interface LookedAt {
  looked: ReadonlyMap<Watch, Looked>
  lookedAt: number
  leaseUntil: number
  /** Whether an event caused this look. */
  isReceived: boolean
}

/** Schedules regular looks, and records why looks fail. */
export class Turns {
  readonly #context: WatchContext
  readonly #bus: Pick<ConfirmationBus, 'connected'>
  /** Watches whose failure was reported to the operator. */
  readonly #said = new Set<string>()

  constructor({ context, bus }: { context: WatchContext; bus: Pick<ConfirmationBus, 'connected'> }) {
    this.#context = context
    this.#bus = bus
  }

  /** Ends looks: releases the watches to other instances, each with the time of its next look. */
  async giveBack(watches: readonly Watch[], { looked, lookedAt, leaseUntil, isReceived }: LookedAt): Promise<void> {
    const { db, clock } = this.#context
    const now = clock.now()
    const changed = watches.filter((watch) => looked.has(watch) && looked.get(watch)!.trouble !== watch.trouble)
    for (const [trouble, group] of Map.groupBy(changed, (watch) => looked.get(watch)!.trouble)) {
      await markTrouble(db, group, { trouble, now, leaseUntil })
    }
    const turns = Map.groupBy(watches, (watch) => {
      const { isComplete = false, isActive = false, trouble = null } = looked.get(watch) ?? {}
      this.#report(watch, trouble, now)
      if (isComplete) return `done ${this.#nextTurn(isActive || isReceived ? lookedAt : watch.activeAt)}`
      return `failed ${now + (trouble === 'unknown_floor' ? pauseOf(watch, now) : AFTER_FAILURE)}`
    })
    for (const [turn, group] of turns) {
      const [outcome, at] = turn.split(' ')
      const over = { lookedAt: outcome === 'done' ? lookedAt : undefined, nextLookAt: Number(at) }
      await markLooked(db, group, { ...over, leaseUntil })
    }
  }

  /** Reports each failing watch once: while its looks fail, payments there cause no events. */
  #report({ endpointId, address, frontier, troubleSince }: Watch, trouble: Trouble | null, now: number): void {
    const key = `${endpointId} ${address}`
    if (trouble !== 'unknown_floor') {
      this.#said.delete(key)
      return
    }
    if (this.#said.has(key) || troubleSince === null || now - troubleSince < PATIENCE) return
    if (this.#said.size >= SAID_MAX) this.#said.clear()
    this.#said.add(key)
    const error = new Error(`No node knows ${frontier ?? 'the first block'} of ${address}, from where to go on.`)
    this.#context.failures.failed('watches.floor', { endpointId })(error)
  }

  /** In whole seconds, so that watches share their looks. */
  #nextTurn(activeAt: number): number {
    const now = this.#context.clock.now()
    const min = this.#bus.connected ? PACE_MIN_CONNECTED : PACE_MIN
    const pace = Math.min(PACE_MAX, Math.max(min, Math.floor((now - activeAt) / PACE_SHARE)))
    return Math.ceil((now + pace) / SECOND) * SECOND
  }
}

/** The longer the failure lasts, the rarer the tries: if the nodes' ledger was reset, asking does not bring the block back. */
function pauseOf({ troubleSince }: Watch, now: number): number {
  const lasted = troubleSince === null ? 0 : now - troubleSince
  return Math.min(TROUBLED_PACE_MAX, Math.max(AFTER_FAILURE, Math.floor(lasted / TROUBLED_PACE_SHARE)))
}
