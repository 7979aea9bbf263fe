import type { ConfirmationBus } from '../../../kernel/ports.ts'
import type { Looked } from './look.ts'
import { markLooked, markTrouble } from './looks-store.ts'
import type { WatchRoom } from './room.ts'
import type { Trouble, Watch } from './watch.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const AFTER_FAILURE = 2 * SECOND
/** While events arrive, a look is a net below a net; the longer nothing happened, the rarer it is. */
const PACE_MIN = 15 * SECOND
const PACE_MIN_HEARING = 5 * MINUTE
const PACE_MAX = 6 * 60 * MINUTE
const PACE_SHARE = 20
/** A node that was chosen anew may be behind for a moment; what lasts longer is the operator's to know. */
const PATIENCE = MINUTE
const TROUBLED_PACE_SHARE = 4
const TROUBLED_PACE_MAX = 10 * MINUTE
const SAID_MAX = 10_000

interface LookedAt {
  looked: ReadonlyMap<Watch, Looked>
  lookedAt: number
  leaseUntil: number
  /** Whether an event has led here. */
  isHeard: boolean
}

/** When addresses are looked at again by themselves, and what keeps looks from coming through. */
export class Turns {
  readonly #room: WatchRoom
  readonly #bus: Pick<ConfirmationBus, 'connected'>
  /** Of whose trouble the operator knows. */
  readonly #said = new Set<string>()

  constructor({ room, bus }: { room: WatchRoom; bus: Pick<ConfirmationBus, 'connected'> }) {
    this.#room = room
    this.#bus = bus
  }

  /** Looks are over: the watches are free for others, each with its next turn. */
  async giveBack(watches: readonly Watch[], { looked, lookedAt, leaseUntil, isHeard }: LookedAt): Promise<void> {
    const { db, clock } = this.#room
    const now = clock.now()
    const changed = watches.filter((watch) => looked.has(watch) && looked.get(watch)!.trouble !== watch.trouble)
    for (const [trouble, group] of Map.groupBy(changed, (watch) => looked.get(watch)!.trouble)) {
      await markTrouble(db, group, { trouble, now, leaseUntil })
    }
    const turns = Map.groupBy(watches, (watch) => {
      const { isComplete = false, isActive = false, trouble = null } = looked.get(watch) ?? {}
      this.#tell(watch, trouble, now)
      if (isComplete) return `done ${this.#nextTurn(isActive || isHeard ? lookedAt : watch.activeAt)}`
      return `failed ${now + (trouble === 'unknown_floor' ? pauseOf(watch, now) : AFTER_FAILURE)}`
    })
    for (const [turn, group] of turns) {
      const [outcome, at] = turn.split(' ')
      const over = { lookedAt: outcome === 'done' ? lookedAt : undefined, nextLookAt: Number(at) }
      await markLooked(db, group, { ...over, leaseUntil })
    }
  }

  /** Once for each watch: a look that never comes through is money that nobody is told of. */
  #tell({ endpointId, address, frontier, troubleSince }: Watch, trouble: Trouble | null, now: number): void {
    const key = `${endpointId} ${address}`
    if (trouble !== 'unknown_floor') {
      this.#said.delete(key)
      return
    }
    if (this.#said.has(key) || troubleSince === null || now - troubleSince < PATIENCE) return
    if (this.#said.size >= SAID_MAX) this.#said.clear()
    this.#said.add(key)
    const error = new Error(`No node knows ${frontier ?? 'the first block'} of ${address}, from where to go on.`)
    this.#room.failures.failed('watches.floor', { endpointId })(error)
  }

  /** In whole seconds, so that watches share their turns. */
  #nextTurn(activeAt: number): number {
    const now = this.#room.clock.now()
    const min = this.#bus.connected ? PACE_MIN_HEARING : PACE_MIN
    const pace = Math.min(PACE_MAX, Math.max(min, Math.floor((now - activeAt) / PACE_SHARE)))
    return Math.ceil((now + pace) / SECOND) * SECOND
  }
}

/** The longer it lasts, the rarer it is tried: a ledger that was set up anew does not come back by asking. */
function pauseOf({ troubleSince }: Watch, now: number): number {
  const lasted = troubleSince === null ? 0 : now - troubleSince
  return Math.min(TROUBLED_PACE_MAX, Math.max(AFTER_FAILURE, Math.floor(lasted / TROUBLED_PACE_SHARE)))
}
