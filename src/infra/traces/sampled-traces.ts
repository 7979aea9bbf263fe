import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Arrival, Facts, Step, StepFailure, StepKind, Traces } from '../../kernel/traces.ts'

/** Most steps of one request or job, so that a loop cannot flood the collector. */
const STEPS_MAX = 500
/** For how many blocks the publishing request is remembered at most. */
const BLOCKS_MAX = 1_000

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const satisfies Record<StepKind, SpanKind>

/** A request or a job of this process. Steps that begin after its end are not part of it. */
interface Stay {
  isOpen: boolean
  stepsLeft: number
}

/** The current step. */
interface At {
  span: Span
  context: Context
  stay: Stay
}

interface SamplingOptions {
  /** The share of requests that are traced, from 0 to 1. */
  share: number
  trusts(ip: string): boolean
}

interface NewStep {
  name: string
  facts: Facts
  kind: StepKind
}

/** Traces a share of all requests, and records nothing about the others. */
export class SampledTraces implements Traces {
  readonly #tracer: Tracer
  readonly #options: SamplingOptions
  readonly #current = new AsyncLocalStorage<At | undefined>()
  readonly #blocks = new Map<string, string>()

  constructor(tracer: Tracer, options: SamplingOptions) {
    this.#tracer = tracer
    this.#options = options
  }

  /**
   * The header of an untrusted caller decides nothing: our trace gets its own id, with a link to the caller's.
   * Otherwise a caller could flood the collector, or write into other people's traces.
   */
  arrive({ name, requestId, traceparent, ip }: Arrival): Step | undefined {
    const step: NewStep = { name, facts: { 'gateway.request_id': requestId }, kind: 'server' }
    const at = this.#at()
    if (at) return this.#next(at, step)
    const parent = traceparent === undefined ? undefined : readTraceparent(traceparent)
    if (parent && this.#options.trusts(ip)) return parent.sampled ? this.#first(step, { parent }) : undefined
    return this.#isChosen() ? this.#first(step, { link: parent }) : undefined
  }

  begin(name: string, facts: Facts = {}, kind: StepKind = 'internal'): Step | undefined {
    const at = this.#at()
    return at && this.#next(at, { name, facts, kind })
  }

  handle(): string | undefined {
    const at = this.#at()
    return at && handleOf(at.span)
  }

  resume(handle: unknown, name: string, facts: Facts = {}): Step | undefined {
    const parent = readTraceparent(handle)
    return parent?.sampled ? this.#first({ name, facts, kind: 'consumer' }, { parent }) : undefined
  }

  noteBlock(hash: string): void {
    const handle = this.handle()
    if (handle === undefined) return
    this.#blocks.delete(hash)
    this.#blocks.set(hash, handle)
    if (this.#blocks.size > BLOCKS_MAX) this.#blocks.delete(this.#blocks.keys().next().value!)
  }

  followBlock(hash: string, name: string): Step | undefined {
    const handle = this.#blocks.get(hash)
    if (handle !== undefined) return this.resume(handle, name)
    return this.#isChosen() ? this.#first({ name, facts: {}, kind: 'consumer' }, {}) : undefined
  }

  outside<T>(run: () => T): T {
    return this.#current.run(undefined, run)
  }

  #isChosen(): boolean {
    return Math.random() < this.#options.share
  }

  #at(): At | undefined {
    const at = this.#current.getStore()
    return at?.stay.isOpen ? at : undefined
  }

  #first(step: NewStep, { parent, link }: { parent?: Traceparent; link?: Traceparent | undefined }): Step {
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)) : ROOT_CONTEXT
    const links = link ? [{ context: toSpanContext(link) }] : []
    const stay: Stay = { isOpen: true, stepsLeft: STEPS_MAX }
    return this.#open(step, { context, stay, links, isFirst: true })
  }

  #next({ context, stay }: At, step: NewStep): Step | undefined {
    if (stay.stepsLeft-- <= 0) return undefined
    return this.#open(step, { context, stay, isFirst: false })
  }

  #open(
    { name, facts, kind }: NewStep,
    { context, stay, isFirst, links = [] }: Omit<At, 'span'> & { isFirst: boolean; links?: SpanOptions['links'] },
  ): Step {
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind], ...(links.length > 0 && { links }) }, context)
    noteFacts(span, facts)
    const at: At = { span, context: trace.setSpan(context, span), stay }
    return {
      within: (run) => this.#current.run(at, run),
      note: (more) => noteFacts(span, more),
      rename: (better) => void span.updateName(better),
      end: (failure) => {
        if (failure) noteFailure(span, failure)
        span.end()
        if (isFirst) stay.isOpen = false
      },
    }
  }
}

function noteFacts(span: Span, facts: Facts): void {
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined) span.setAttribute(name, value)
  }
}

function noteFailure(span: Span, { type, isOurs }: StepFailure): void {
  span.setAttribute('error.type', type)
  if (isOurs) span.setStatus({ code: SpanStatusCode.ERROR })
}

function handleOf(span: Span): string {
  const { traceId, spanId: stepId } = span.spanContext()
  return writeTraceparent({ traceId, stepId })
}

const toSpanContext = ({ traceId, stepId, sampled }: Traceparent) => ({
  traceId,
  spanId: stepId,
  traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
})

/** A place in a trace, as programs pass it on (W3C Trace Context). */
interface Traceparent {
  traceId: string
  stepId: string
  sampled: boolean
}

const SHAPE = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const LENGTH = 55

/** Undefined if the text is not a valid header. */
export function readTraceparent(text: unknown): Traceparent | undefined {
  if (typeof text !== 'string' || text.length !== LENGTH) return undefined
  const [, traceId, stepId, flags] = SHAPE.exec(text) ?? []
  if (traceId === undefined || stepId === undefined || flags === undefined) return undefined
  return { traceId, stepId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const writeTraceparent = ({ traceId, stepId }: Omit<Traceparent, 'sampled'>) => `00-${traceId}-${stepId}-01`
