import type { Caller } from '../../../kernel/ctx.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { type LoggedRequest, insertRequests } from './store.ts'

const FLUSH_EVERY = 2_000
const MINUTE = 60_000
/** How many successes, and how many failures, of an account are logged one by one in a minute. */
const WHOLE_MAX = 20
/** After that, one row stands for this many requests. */
const SAMPLE = 100
const ROWS_A_MINUTE = 100
/** The maximum of rows waiting to be written; further requests are not logged. */
const WAITING_MAX = 500

export interface Answered {
  requestId: string
  action: string
  status: number
  code: string | undefined
  milliseconds: number
}

interface Counted {
  well: number
  failed: number
  /** Requests since the last sampled row. */
  unwritten: number
  rows: number
}

/**
 * Logs the requests made with an account's keys, for its people: action, status and time, but never the content. The first requests of a
 * minute are logged one by one, then one of a hundred, so that a busy account costs hardly more than a quiet one.
 */
export class RequestLog {
  readonly #ctx: StoreCtx
  #minute = -1
  #counts = new Map<string, Counted>()
  #waiting: LoggedRequest[] = []
  #cancelTimer: (() => void) | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(ctx: StoreCtx) {
    this.#ctx = ctx
  }

  note(caller: Caller | undefined, answered: Answered): void {
    if (caller?.kind !== 'account') return
    const { accountId, keyId } = caller
    const { clock, ids } = this.#ctx
    const at = clock.now()
    const standsFor = this.#take(accountId, answered.status, Math.floor(at / MINUTE))
    if (standsFor === 0 || this.#waiting.length >= WAITING_MAX) return
    const { requestId, action, status, code = null, milliseconds } = answered
    const took = Math.round(milliseconds * 1_000)
    const entry = { requestId, action, status, code, microseconds: took, keyId: keyId ?? null, standsFor }
    this.#waiting.push({ id: ids.next('req'), accountId, at, ...entry })
    this.#cancelTimer ??= clock.after(FLUSH_EVERY, () => void this.flush())
  }

  /** How many requests a row stands for; 0 where none is written. */
  #take(accountId: string, status: number, minute: number): number {
    if (this.#minute !== minute) {
      this.#minute = minute
      this.#counts = new Map()
    }
    const counted = this.#counts.get(accountId) ?? { well: 0, failed: 0, unwritten: 0, rows: 0 }
    this.#counts.set(accountId, counted)
    const isWhole = status < 400 ? ++counted.well <= WHOLE_MAX : ++counted.failed <= WHOLE_MAX
    const isSample = !isWhole && ++counted.unwritten % SAMPLE === 0
    if (!(isWhole || isSample) || ++counted.rows > ROWS_A_MINUTE) return 0
    return isWhole ? 1 : SAMPLE
  }

  flush(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const rows = this.#waiting
    this.#waiting = []
    if (rows.length > 0) {
      const { db, failures } = this.#ctx
      this.#writing = this.#writing.then(() => insertRequests(db, rows)).catch(failures.lost('accounts.requests'))
    }
    return this.#writing
  }
}
