import { Pool } from 'undici'
import { Leaving } from '../../kernel/leaving.ts'
import type { Clock, NodeAnswer } from '../../kernel/ports.ts'
import { postToNode } from './post-to-node.ts'
import { closeQuietly } from './quiet-closing.ts'
import { UpstreamFailure, isNodeComplaint, toFailure } from './failure.ts'
import { type OurLedger, type LedgerReport, askForLedger, compareLedger } from './identity.ts'
import { INQUIRY_TIMEOUT } from './limits.ts'

const KEPT = 128
const REFRESH_EVERY = 16

/** The recent response times of a node, and their 95th percentile, which is updated every few answers. */
export class Latencies {
  readonly #samples: number[] = []
  #next = 0
  #p95: number | undefined

  add(milliseconds: number): void {
    this.#samples[this.#next++ % KEPT] = milliseconds
    if (this.#next % REFRESH_EVERY === 0) {
      const sorted = this.#samples.toSorted((a, b) => a - b)
      this.#p95 = sorted[Math.floor(sorted.length * 0.95)]
    }
  }

  /** Undefined until there are enough times. */
  get p95(): number | undefined {
    return this.#p95
  }
}

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
/**
 * A connection is not used in the last moments before a node closes it. Many nodes close idle connections after five
 * seconds; probes are sent every three.
 */
const LEFT_BEFORE_CLOSE = 1_000
const ERROR_WINDOW = 60_000
const ERROR_SAMPLES_MIN = 10
const ERROR_RATE_MAX = 0.5
const FAILURES_IN_A_ROW_MAX = 3
const ANNOUNCED_MAX = 512

/** The state of a node in one word, for the log and metrics. */
export const NODE_STATES = ['well', 'failing', 'behind', 'suspect', 'foreign', 'unverified'] as const
export type NodeState = (typeof NODE_STATES)[number]

interface UpstreamPart {
  clock: Clock
  ours: OurLedger
  /** Called when the node begins to fail, and when it has reported its ledger. */
  onChange(): void
}

interface Asking {
  leaving?: Leaving
  /** A client wrote the question, so an error does not count against the node. */
  verbatim?: boolean | undefined
}

/** The reply of a node, parsed and as text. */
export interface Reply {
  answer: NodeAnswer
  text: string
}

/** One node: its connections, and how it has behaved. */
export class Upstream {
  readonly options: UpstreamOptions
  readonly latencies = new Latencies()
  readonly #clock: Clock
  readonly #pool: Pool
  readonly #target: { path: string; headers: Record<string, string> }
  #outcomes: { at: number; failed: boolean }[] = []
  #failuresInARow = 0
  readonly #ours: OurLedger
  readonly #onChange: () => void
  #verifying: Promise<void> | undefined
  #reason: string | undefined
  /** The message of its last failure. */
  failure = 'no answer yet'
  /** Set by probes. */
  reachable = true
  cemented = 0
  /** Its highest count so far. A node that counts much less has lost its ledger and is catching up. */
  cementedMost = 0
  progressedAt = 0
  lagging = false
  /** Whether it counts more blocks than another node and could not show them. */
  overcounts = false
  /** A claim of this node that most others deny; kept until the gateway restarts. */
  accusation: string | undefined
  /** Whether it has our ledger; undefined while that is unknown. The node is used only if true. */
  belongs: boolean | undefined
  reported: LedgerReport | undefined
  verifiedAt = -Infinity
  /** How often its ledger was verified as ours. */
  verifications = 0
  /** Hashes that its websocket has recently reported. */
  readonly announced: string[] = []

  constructor(options: UpstreamOptions, { clock, ours, onChange }: UpstreamPart) {
    this.options = options
    this.#clock = clock
    this.#ours = ours
    this.#onChange = onChange
    const url = new URL(options.url)
    this.#target = {
      path: `${url.pathname}${url.search}`,
      headers: { 'content-type': 'application/json', ...options.headers },
    }
    closeQuietly()
    this.#pool = new Pool(url.origin, {
      connections: options.connectionsMax,
      pipelining: 1,
      connect: { timeout: CONNECT_TIMEOUT },
      keepAliveTimeoutThreshold: LEFT_BEFORE_CLOSE,
      maxResponseSize: RESPONSE_BYTES_MAX,
    })
  }

  get healthy(): boolean {
    return this.reachable && this.trusted && !this.lagging
  }

  /** Whether nothing that this node reports may be used. */
  get suspect(): boolean {
    return this.overcounts || this.accusation !== undefined
  }

  /** Whether it has our ledger and is not suspect. */
  get trusted(): boolean {
    return this.belongs === true && !this.suspect
  }

  get state(): NodeState {
    if (this.belongs === false) return 'foreign'
    if (!this.reachable) return 'failing'
    if (this.belongs !== true) return 'unverified'
    if (this.suspect) return 'suspect'
    return this.lagging ? 'behind' : 'well'
  }

  /** The reason for its state, in words. */
  get reason(): string | undefined {
    switch (this.state) {
      case 'foreign':
      case 'unverified':
        return this.#reason ?? 'it has not reported which ledger it has'
      case 'suspect':
        return (
          this.accusation ?? `it counts ${this.cemented} blocks, which no other node confirms, and cannot show them`
        )
      case 'failing':
        return `it does not answer: ${this.failure}`
      case 'behind':
        return `it is behind the other nodes, at ${this.cemented} confirmed blocks`
      default:
        return undefined
    }
  }

  /** Asks a client's question. The node must be verified to have our ledger. */
  async ask(body: string, timeoutMilliseconds: number, asking: Asking = {}): Promise<NodeAnswer> {
    return (await this.read(body, timeoutMilliseconds, asking)).answer
  }

  /** The same, and also returns the text of the answer. */
  async read(body: string, timeoutMilliseconds: number, asking: Asking): Promise<Reply> {
    if (this.belongs !== true) {
      await this.verify()
      // `refused` means that nothing was sent, so a block may be sent to another node.
      if (!this.trusted) throw new UpstreamFailure('refused', this.reason ?? 'its ledger is not verified')
    }
    return this.#serve(body, timeoutMilliseconds, asking)
  }

  /** Compares the node's ledger with ours. If the node cannot be reached, nothing changes. */
  verify(): Promise<void> {
    return (this.#verifying ??= this.#verify().finally(() => (this.#verifying = undefined)))
  }

  async #verify(): Promise<void> {
    try {
      this.reported = await askForLedger((request) => this.inquire(request), this.#ours)
    } catch (error) {
      this.failure = toFailure(error).message
      if (this.belongs !== true) this.#reason = `it could not be asked which ledger it has: ${this.failure}`
      return
    }
    this.compare()
  }

  /** Compares what the node has reported with our ledger. */
  compare(): void {
    if (!this.reported) return
    const verdict = compareLedger(this.#ours, this.reported)
    const isOurs = verdict.kind === 'ours'
    // A node that was verified before, and is only too busy to answer now, stays verified.
    if (verdict.kind === 'unverified' && this.belongs === true) return
    this.belongs = isOurs ? true : verdict.kind === 'foreign' ? false : undefined
    this.#reason = isOurs ? undefined : verdict.reason
    this.verifiedAt = this.#clock.now()
    if (isOurs) this.verifications++
    this.#onChange()
  }

  /** Asks about the node itself; the outcome does not count as a success or failure of serving. */
  async inquire(request: object): Promise<NodeAnswer> {
    return (await this.#postToNode(JSON.stringify(request), INQUIRY_TIMEOUT, {})).answer
  }

  receive(hash: string): void {
    this.announced.push(hash)
    if (this.announced.length > ANNOUNCED_MAX) this.announced.shift()
  }

  /** Sends one request and returns the ledger's answer. Anything else throws `UpstreamFailure`. */
  async call(body: string, timeoutMilliseconds: number): Promise<NodeAnswer> {
    return (await this.#serve(body, timeoutMilliseconds, {})).answer
  }

  async #serve(body: string, timeoutMilliseconds: number, asking: Asking): Promise<Reply> {
    const startedAt = this.#clock.now()
    try {
      const reply = await this.#postToNode(body, timeoutMilliseconds, asking)
      this.#record(false)
      this.latencies.add(this.#clock.now() - startedAt)
      return reply
    } catch (error) {
      const failure = toFailure(error)
      if (failure.kind !== 'aborted') {
        this.failure = failure.message
        this.#record(true)
      }
      throw failure
    }
  }

  async #postToNode(body: string, timeoutMilliseconds: number, asking: Asking): Promise<Reply> {
    const { leaving = new Leaving(), verbatim = false } = asking
    // One limit for everything, including the wait for a free connection and slowly arriving answers.
    const giveUp = () => leaving.leave(new UpstreamFailure('timeout', 'no answer in time'))
    const cancelTimer = this.#clock.after(timeoutMilliseconds, giveUp)
    try {
      const { path, headers } = this.#target
      const text = await postToNode(this.#pool, { path, headers, body, leaving })
      return { answer: toAnswer(text, verbatim), text }
    } finally {
      cancelTimer()
    }
  }

  /** A node that has failed too often is not used until a probe finds it healthy. */
  #record(failed: boolean): void {
    const at = this.#clock.now()
    this.#failuresInARow = failed ? this.#failuresInARow + 1 : 0
    this.#outcomes.push({ at, failed })
    if (this.#outcomes.length > 512) this.#outcomes = this.#outcomes.slice(-256)
    if (failed && (this.#failuresInARow >= FAILURES_IN_A_ROW_MAX || this.errorRate() > ERROR_RATE_MAX)) {
      this.lose()
    }
  }

  /**
   * Marks the node as unreachable. Its ledger is verified again later, because another node may then have its address.
   */
  lose(): void {
    if (!this.reachable) return
    this.reachable = false
    if (this.belongs === true) this.belongs = undefined
    this.#onChange()
  }

  /** Stops using the node until the gateway restarts. */
  accuse(accusation: string): void {
    if (this.accusation !== undefined) return
    this.accusation = accusation
    this.#onChange()
  }

  errorRate(): number {
    const since = this.#clock.now() - ERROR_WINDOW
    const recent = this.#outcomes.filter(({ at }) => at > since)
    if (recent.length < ERROR_SAMPLES_MIN) return 0
    return recent.filter(({ failed }) => failed).length / recent.length
  }

  /** Forgets earlier failures. */
  forgive(): void {
    this.#outcomes = []
    this.#failuresInARow = 0
    this.reachable = true
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}

function toAnswer(text: string, verbatim: boolean): NodeAnswer {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw new UpstreamFailure('broken', 'the answer is not JSON')
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new UpstreamFailure('broken', 'the answer is not an object')
  }
  const { error } = answer as NodeAnswer
  if (error !== undefined && (typeof error !== 'string' || isNodeComplaint(error, verbatim))) {
    // The node's message is not logged, because it may repeat text of the client.
    throw new UpstreamFailure('broken', 'the node will not serve this')
  }
  return answer as NodeAnswer
}
