import type { Flight as SharedFlight, Trace } from '../../kernel/ctx.ts'
import { LedgerRefusal, noNode, nodeTimeout } from '../../kernel/errors.ts'
import type { Failures } from '../../kernel/failures.ts'
import { Leaving } from '../../kernel/leaving.ts'
import { type Block, hashBlock } from '../../kernel/nano/block.ts'
import type {
  ClientNodePort,
  Clock,
  Confirmation,
  ConfirmationBus,
  NodeAnswer,
  NodeParams,
  NodePort,
  NodeTopics,
  Random,
  Survey,
} from '../../kernel/ports.ts'
import { type Step, type Traces, asStep } from '../../kernel/traces.ts'
import { textOf } from '../../kernel/shape.ts'
import { AnswerCache, type RememberedText } from './answer-cache.ts'
import { Confirmations } from './confirmations.ts'
import { findSince } from './catch-up.ts'
import { UpstreamFailure } from './failure.ts'
import { isBlank, isSettled, policyOf } from './policy.ts'
import { UpstreamPool } from './pool.ts'
import { publishBlock } from './publish.ts'
import { type ReadLimits, readFromNodes } from './read.ts'
import type { OurLedger } from './identity.ts'
import { AgreedReader } from './agreed-read.ts'
import type { AgreementRules, Disagreement } from './agreement.ts'
import { BlockReader } from './block-reader.ts'
import { type Judge, Standing } from './standing.ts'
import { surveyNodes } from './survey.ts'
import { toBody, touchedBy, touchedByBlock, touchedByRead } from './touched.ts'
import type { Reply, Upstream, UpstreamOptions } from './upstream.ts'
import { type AskOne, RepresentativeWeights } from './representative-weights.ts'
import { Votes } from './votes.ts'
import { WriteEpochs } from './write-epochs.ts'

interface NodesOptions {
  upstreams: readonly UpstreamOptions[]
  /** The ledger that all nodes must have. */
  ledger: OurLedger
  agreement: AgreementRules
  /** Whether votes are collected as proofs of payments. */
  collectsVotes?: boolean
  cacheBytesMax: number
  clock: Clock
  random: Random
  failures: Failures
  /** Notifies other instances of the accounts and blocks that our own publication has changed. */
  onWrite?: (keys: readonly string[], holder: string | undefined) => Promise<void>
  /**
   * Whether notices of other instances arrive. While they do not, answers that those instances may change are not
   * remembered.
   */
  receivesWrites?: () => boolean
  /** Called when the state of a node has changed. */
  onState?: (upstream: Upstream) => void
  /** Called when the nodes have agreed on a first block that was not known before. */
  onLearned?: (genesis: string) => void
  onDisagreement: (disagreement: Disagreement) => void
  onRead?: (event: { action: string; upstream: string; hedged: boolean }) => void
  onFailure?: (event: { action: string; failure: UpstreamFailure; requestId: string | undefined }) => void
  traces?: Traces | undefined
}

interface Flight {
  promise: Promise<Reply>
  /** How many callers wait for it. Callers who cannot report that they have left stay counted. */
  waiting: number
  abort: Leaving | undefined
}

interface Departure {
  keys: string[]
  /** Undefined if the answer must not be remembered. */
  stamp: number | undefined
  leaving?: Leaving | undefined
  /** The request that caused the read, for the log. */
  requestId?: string | undefined
  verbatim: boolean
  step?: Step | undefined
}

interface Asking {
  trace?: Trace | undefined
  leaving?: Leaving | undefined
  /** Whether the question was written by a client. */
  verbatim?: boolean
}

/** All nodes, used as one ledger. */
export class Nodes implements Judge {
  readonly pool: UpstreamPool
  readonly confirmations: ConfirmationBus & NodeTopics
  /** Undefined if payments are not proved. */
  readonly votes: Votes | undefined
  readonly #options: NodesOptions
  readonly #clock: Clock
  readonly #bus: Confirmations
  readonly #cache: AnswerCache | undefined
  readonly #epochs = new WriteEpochs()
  readonly #blocks: BlockReader
  readonly #agreed: AgreedReader
  readonly #flights = new Map<string, Flight>()
  readonly #closings: (() => void)[] = []

  constructor(options: NodesOptions) {
    this.#options = options
    this.#clock = options.clock
    const { clock, random, failures, ledger } = options
    const { onState, onLearned } = options
    const onLook = () => this.#bus.judge()
    this.pool = new UpstreamPool(options.upstreams, { clock, random, failures, ledger, onState, onLearned, onLook })
    this.#cache = options.cacheBytesMax > 0 ? new AnswerCache(options.cacheBytesMax) : undefined
    const weights = new RepresentativeWeights({ upstreams: this.pool.upstreams, clock, ask: askOne })
    this.votes = options.collectsVotes ? new Votes({ clock, weights }) : undefined
    this.#bus = new Confirmations({
      votes: this.votes,
      upstreams: this.pool.upstreams,
      clock,
      random,
      failures: options.failures,
      findSince: (account, since) => findSince(this.forRequest(), account, since),
      onReceived: (confirmation) => this.#epochs.bump(touchedBy(confirmation)),
    })
    this.#bus.onGap(() => this.#epochs.bumpAll())
    const read: NodePort['read'] = (action, params) => this.#read(action, params, {})
    const { agreement: rules, onDisagreement } = options
    const agreement = { pool: this.pool, clock, rules, read, ask: askOne, onDisagreement }
    this.#blocks = new BlockReader(agreement)
    this.#agreed = new AgreedReader(agreement)
    this.confirmations = this.#bus
  }

  get cachedBytes(): number {
    return this.#cache?.bytes ?? 0
  }

  start(): Promise<void> {
    return this.pool.start()
  }

  /** Runs `run` before the nodes are closed. */
  onClose(run: () => void): void {
    this.#closings.push(run)
  }

  async close(): Promise<void> {
    for (const run of this.#closings) run()
    this.#bus.close()
    this.votes?.close()
    await this.pool.close()
  }

  /**
   * The port for one request, whose trace records where answers came from. `leaving` reports that the client has left:
   * a read then ends unless another caller waits for it, but a publication continues.
   */
  forRequest(trace?: Trace, leaving?: Leaving): ClientNodePort {
    return {
      read: (action, params) => this.#read(action, params, { trace, leaving }),
      pass: (action, params) => this.#pass(action, params, { trace, leaving }),
      readBlocks: (hashes) => this.#blocks.readBlocks(hashes),
      readSends: (hashes, previous = []) => this.#blocks.readSends(hashes, previous),
      readAgreed: (action, params, toFacts) => this.#agreed.read(action, params, toFacts),
      publish: (block, subtype) => this.#publish(block, subtype),
    }
  }

  /** Asks every node what it knows about an account and some blocks. */
  survey(account: string, hashes: readonly string[]): Promise<Survey> {
    return surveyNodes({ upstreams: this.pool.upstreams, ask: askOne }, account, hashes)
  }

  async #read(action: string, params: NodeParams, asking: Asking): Promise<NodeAnswer> {
    const found = await this.#find(action, params, asking)
    // Only answers without errors are remembered.
    return found.answer === undefined ? (JSON.parse(found.text) as NodeAnswer) : toResult(found.answer)
  }

  async #pass(action: string, params: NodeParams, asking: Asking): Promise<string> {
    const { answer, text } = await this.#find(action, params, { ...asking, verbatim: true })
    if (answer !== undefined) toResult(answer)
    return text
  }

  /** The answer of a node, or only its text if it was remembered. */
  async #find(
    action: string,
    params: NodeParams,
    { trace, leaving, verbatim = false }: Asking,
  ): Promise<Pick<Reply, 'text'> & Partial<Reply>> {
    const body = toBody(action, params)
    const keys = touchedByRead(params)
    const stamp = this.#epochs.stamp(keys)
    const { cache } = policyOf(action)
    // Answers that confirmations keep fresh are remembered only while confirmations arrive. There are none for
    // unconfirmed blocks.
    const confirmedOnly = textOf(params.include_only_confirmed) !== 'false'
    const receives = confirmedOnly && this.#bus.connected && (this.#options.receivesWrites?.() ?? true)
    const cacheable = cache.kind !== 'never' && (cache.kind !== 'events' || receives)
    const cached = cacheable ? this.#cache?.find(body, stamp, this.#clock.now()) : undefined
    const isFirst = trace !== undefined && trace.cache === undefined
    // An answer that a caller makes from two reads is not remembered.
    if (trace) trace.fresh = isFirst && cached ? new Standing(this, body, keys, cached) : undefined
    if (cached) {
      if (trace) trace.cache = 'hit'
      return { text: cached.text }
    }
    const flightKey = `${stamp}|${verbatim ? 'verbatim' : ''}|${body}`
    const known = this.#flights.get(flightKey)
    if (trace) trace.cache = known ? 'coalesced' : 'miss'
    const flight =
      known ??
      this.#depart(flightKey, action, body, {
        keys,
        stamp: cacheable ? stamp : undefined,
        leaving,
        requestId: trace?.requestId,
        verbatim,
      })
    this.#join(flightKey, flight, leaving)
    // If an answer is made from two reads, it is unknown which of them a later write makes outdated.
    if (trace) trace.flight = isFirst ? this.#shared(flightKey, flight, { keys, stamp }) : undefined
    return flight.promise
  }

  #join(flightKey: string, flight: Flight, leaving: Leaving | undefined): void {
    flight.waiting++
    leaving?.onLeave(() => this.#leave(flightKey, flight))
  }

  /**
   * Lets other callers with the same question wait for this read. After a write, callers need a read that began later.
   */
  #shared(flightKey: string, flight: Flight, { keys, stamp }: { keys: string[]; stamp: number }): SharedFlight {
    return {
      join: (leaving) => {
        if (this.#flights.get(flightKey) !== flight || this.#epochs.stamp(keys) !== stamp) return false
        this.#join(flightKey, flight, leaving)
        return true
      },
    }
  }

  isCurrent(body: string, keys: readonly string[], answer: RememberedText): boolean {
    return this.#cache?.find(body, this.#epochs.stamp(keys), this.#clock.now()) === answer
  }

  #depart(flightKey: string, action: string, body: string, { leaving, ...rest }: Departure): Flight {
    const abort = leaving && new Leaving()
    const step = this.#options.traces?.begin(`node ${action}`, { 'gateway.action': action }, 'client')
    const promise = asStep(step, () => this.#fetch(action, body, { ...rest, leaving: abort, step }))
    const flight: Flight = { promise, waiting: 0, abort }
    this.#flights.set(flightKey, flight)
    const forget = () => this.#forget(flightKey, flight)
    promise.then(forget, forget)
    return flight
  }

  /** One caller has left. A read without callers is cancelled, and nobody can join it any more. */
  #leave(flightKey: string, flight: Flight): void {
    if (--flight.waiting > 0) return
    this.#forget(flightKey, flight)
    flight.abort?.leave()
  }

  #forget(flightKey: string, flight: Flight): void {
    if (this.#flights.get(flightKey) === flight) this.#flights.delete(flightKey)
  }

  async #fetch(action: string, body: string, departure: Departure): Promise<Reply> {
    const { keys, stamp, leaving, requestId, verbatim, step } = departure
    const { cache, timeoutMilliseconds } = policyOf(action)
    const nodes = this.pool.order(keys[0] ?? action, keys)
    try {
      const holder = this.pool.holderOf(keys)
      const limits: ReadLimits = { timeoutMilliseconds, leaving, asksHolder: holder !== undefined, verbatim }
      const { answer, text, upstream, hedged } = await readFromNodes(this.#clock, nodes, body, limits)
      step?.note({ 'gateway.node': upstream.options.name, 'gateway.hedged': hedged })
      this.#options.onRead?.({ action, upstream: upstream.options.name, hedged })
      // Another node may answer what only the holder knows for certain, but that answer is not remembered.
      const sure = (holder === undefined || holder === upstream) && !isBlank(action, answer)
      if (sure && stamp !== undefined && cache.kind !== 'never' && this.#cache && answer.error === undefined) {
        const forever = cache.kind === 'immutable' && isSettled(action, answer)
        const now = this.#clock.now()
        const expiresAt = forever ? Infinity : now + cache.milliseconds
        this.#cache.put(body, { text, stamp: forever ? undefined : stamp, expiresAt }, now)
      }
      return { answer, text }
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error
      if (error.kind !== 'aborted') this.#options.onFailure?.({ action, failure: error, requestId })
      throw error.kind === 'timeout' ? nodeTimeout(error) : noNode(error)
    }
  }

  async #publish(block: Block, subtype: string | undefined): Promise<string> {
    const keys = touchedByBlock(block)
    // Whatever the outcome, reads that began before this moment must not answer later questions.
    this.#epochs.bump(keys)
    let taker: string | undefined
    try {
      const { hash, holder } = await this.#bring(keys, block, subtype)
      this.pool.hold(keys, holder)
      taker = holder.options.name
      return hash
    } finally {
      this.#epochs.bump(keys)
      // Before the answer, because the caller may read from another instance next.
      await this.#options.onWrite?.(keys, taker)
    }
  }

  #bring(keys: readonly string[], block: Block, subtype: string | undefined): ReturnType<typeof publishBlock> {
    const { traces, failures } = this.#options
    const nodes = this.pool.order(keys[0]!)
    const step = traces?.begin('node process', { 'gateway.action': 'process' }, 'client')
    if (!step) return publishBlock(nodes, block, subtype, failures)
    return asStep(step, async () => {
      // Before the block is sent, because its confirmation may come before the answer.
      traces!.noteBlock(hashBlock(block))
      const published = await publishBlock(nodes, block, subtype, failures)
      step.note({ 'gateway.node': published.holder.options.name })
      return published
    })
  }

  /** Accepts a confirmation from another instance that no node has sent to this one. */
  receive(confirmation: Confirmation): void {
    this.#bus.receive(confirmation)
  }

  /** Other instances' notices may have been lost, so all remembered answers may be outdated. */
  noteGap(): void {
    this.#epochs.bumpAll()
  }

  /** Another instance has published a block, so remembered answers about these keys are outdated. */
  noteWrites(keys: readonly string[], holderName: string): void {
    this.#epochs.bump(keys)
    const holder = this.pool.upstreams.find(({ options }) => options.name === holderName)
    if (holder) this.pool.hold(keys, holder)
  }
}

const askOne: AskOne = (upstream, action, params) =>
  upstream.ask(toBody(action, params), policyOf(action).timeoutMilliseconds)

function toResult(answer: NodeAnswer): NodeAnswer {
  if (typeof answer.error === 'string') throw new LedgerRefusal(answer.error)
  return answer
}
