import { Pool } from 'undici'
import { Leaving } from '../../kernel/leaving.ts'
import type { Clock, NodeAnswer } from '../../kernel/ports.ts'
import { exchange } from './exchange.ts'
import { UpstreamFailure, isNodeComplaint, toFailure } from './failure.ts'
import { Latencies } from './latencies.ts'

export interface UpstreamOptions {
  name: string
  url: string
  wsUrl: string | undefined
  role: 'primary' | 'fallback'
  weight: number
  headers: Readonly<Record<string, string>>
  connectionsMax: number
}

const RESPONSE_BYTES_MAX = 32 * 1024 * 1024
const CONNECT_TIMEOUT = 2_000
const ERROR_WINDOW = 60_000
const ERROR_SAMPLES_MIN = 10
const ERROR_RATE_MAX = 0.5
const FAILURES_IN_A_ROW_MAX = 3

/** One node: its connections, and what was seen of its behaviour. */
export class Upstream {
  readonly options: UpstreamOptions
  readonly latencies = new Latencies()
  readonly #clock: Clock
  readonly #pool: Pool
  readonly #target: { path: string; headers: Record<string, string> }
  #outcomes: { at: number; failed: boolean }[] = []
  #failuresInARow = 0
  /** Set by probes. */
  reachable = true
  cemented = 0
  progressedAt = 0
  seenAt = 0
  lagging = false

  constructor(options: UpstreamOptions, clock: Clock) {
    this.options = options
    this.#clock = clock
    const url = new URL(options.url)
    this.#target = {
      path: `${url.pathname}${url.search}`,
      headers: { 'content-type': 'application/json', ...options.headers },
    }
    this.#pool = new Pool(url.origin, {
      connections: options.connectionsMax,
      pipelining: 1,
      connect: { timeout: CONNECT_TIMEOUT },
      maxResponseSize: RESPONSE_BYTES_MAX,
    })
  }

  get healthy(): boolean {
    return this.reachable && !this.lagging
  }

  /** Sends one request and reads its answer. Everything but an answer of the ledger is an `UpstreamFailure`. */
  async call(body: string, timeoutMilliseconds: number, leaving = new Leaving()): Promise<NodeAnswer> {
    const startedAt = this.#clock.now()
    // One limit for everything: the wait for a free connection and an answer that trickles count too.
    const giveUp = () => leaving.leave(new UpstreamFailure('timeout', 'no answer in time'))
    const cancelTimer = this.#clock.after(timeoutMilliseconds, giveUp)
    try {
      const { path, headers } = this.#target
      const text = await exchange(this.#pool, { path, headers, body, leaving })
      const answer = toAnswer(text)
      this.#record(false)
      this.latencies.add(this.#clock.now() - startedAt)
      return answer
    } catch (error) {
      const failure = toFailure(error)
      if (failure.kind !== 'aborted') this.#record(true)
      throw failure
    } finally {
      cancelTimer()
    }
  }

  /** A node that failed too often lately is left alone until a probe finds it well again. */
  #record(failed: boolean): void {
    const at = this.#clock.now()
    this.#failuresInARow = failed ? this.#failuresInARow + 1 : 0
    this.#outcomes.push({ at, failed })
    if (this.#outcomes.length > 512) this.#outcomes = this.#outcomes.slice(-256)
    if (failed && (this.#failuresInARow >= FAILURES_IN_A_ROW_MAX || this.errorRate() > ERROR_RATE_MAX)) {
      this.reachable = false
    }
  }

  errorRate(): number {
    const since = this.#clock.now() - ERROR_WINDOW
    const recent = this.#outcomes.filter(({ at }) => at > since)
    if (recent.length < ERROR_SAMPLES_MIN) return 0
    return recent.filter(({ failed }) => failed).length / recent.length
  }

  /** What was seen before no longer counts. */
  forgive(): void {
    this.#outcomes = []
    this.#failuresInARow = 0
    this.reachable = true
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}

function toAnswer(text: string): NodeAnswer {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw new UpstreamFailure('broken', 'the answer is no JSON')
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new UpstreamFailure('broken', 'the answer is no object')
  }
  const { error } = answer as NodeAnswer
  if (error !== undefined && (typeof error !== 'string' || isNodeComplaint(error))) {
    // Its words stay out of the log: they may repeat what the client sent.
    throw new UpstreamFailure('broken', 'the node will not serve this')
  }
  return answer as NodeAnswer
}
