import { ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { OpenTraces, TracesParts } from './open.ts'
import { SampledTraces } from './sampled-traces.ts'

/** Most steps that wait for the collector; more are dropped and counted. */
const WAITING_MAX = 4_096
const BATCH_MAX = 512
const SEND_EVERY = 2_000
const SEND_MAX = 10_000
/** How long the shutdown of a gateway waits for the collector. */
const CLOSE_MAX = 3_000
const SPAN_LIMITS = { attributeCountLimit: 32, attributeValueLengthLimit: 128, linkCountLimit: 1, eventCountLimit: 0 }

interface OtlpOptions extends TracesParts {
  /** Address of the collector, without the path for traces. */
  url: string
  headers: Readonly<Record<string, string>>
  service: string
  share: number
}

/** Traces made with OpenTelemetry and sent as JSON over HTTP. */
export function openOtlpTraces({
  url,
  headers,
  service,
  version,
  share,
  trusts,
  ...reporters
}: OtlpOptions): OpenTraces {
  const exporter = new OTLPTraceExporter({
    url: `${url}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: SEND_MAX,
    concurrencyLimit: 2,
  })
  const outbox = new Outbox(exporter, reporters)
  const provider = new TracerProvider({
    // The gateway has already decided what to trace; deciding by trace id would let callers choose.
    sampler: new AlwaysOnSampler(),
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    spanLimits: SPAN_LIMITS,
    spanProcessors: [outbox],
  })
  const traces = new SampledTraces(provider.getTracer('nano-gateway', version), { share, trusts })
  return Object.assign(traces, { close: () => withinTime(provider.shutdown(), () => outbox.noteLost(undefined)) })
}

/**
 * Finished steps that wait to be sent, a limited number. Logs once when the collector becomes unavailable and once when
 * it is back.
 */
class Outbox implements SpanProcessor {
  readonly #exporter: SpanExporter
  readonly #reporters: Pick<TracesParts, 'log' | 'metrics' | 'failures'>
  readonly #batches: BatchSpanProcessor
  #waiting = 0
  #isFailing = false

  constructor(exporter: SpanExporter, reporters: Pick<TracesParts, 'log' | 'metrics' | 'failures'>) {
    this.#exporter = exporter
    this.#reporters = reporters
    this.#batches = new BatchSpanProcessor({
      exporter: { export: (spans, done) => this.#send(spans, done), shutdown: () => exporter.shutdown() },
      maxQueueSize: WAITING_MAX,
      maxExportBatchSize: BATCH_MAX,
      scheduledDelayMillis: SEND_EVERY,
      exportTimeoutMillis: SEND_MAX + 1_000,
    })
    for (const outcome of ['sent', 'lost', 'dropped']) reporters.metrics.traceSteps.inc({ outcome }, 0)
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#waiting >= WAITING_MAX) {
      this.#reporters.metrics.traceSteps.inc({ outcome: 'dropped' })
      return
    }
    this.#waiting++
    this.#batches.onEnd(span)
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush()
  }

  shutdown(): Promise<void> {
    return this.#batches.shutdown()
  }

  #send(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.#exporter.export(spans, ({ code, error }) => {
      this.#waiting -= spans.length
      const isSent = code === ExportResultCode.SUCCESS
      this.#reporters.metrics.traceSteps.inc({ outcome: isSent ? 'sent' : 'lost' }, spans.length)
      if (isSent) this.#noteSent()
      else this.noteLost(error)
      // The failure was reported above, so the batch processor should not report it again.
      done({ code: ExportResultCode.SUCCESS })
    })
  }

  #noteSent(): void {
    if (this.#isFailing) this.#reporters.log.info({ event: 'traces_taken_again' })
    this.#isFailing = false
  }

  noteLost(error: Error | undefined): void {
    if (this.#isFailing) return
    this.#isFailing = true
    this.#reporters.failures.failed('traces.export')(new CollectorAway(error))
  }
}

/** Contains only the kind of failure, because a collector's answer may contain anything. */
class CollectorAway extends Error {
  readonly code: string

  constructor(error: (Error & { code?: unknown }) | undefined) {
    const code = /^[\w-]{1,40}$/.test(String(error?.code)) ? String(error?.code) : 'no answer'
    super(`The collector of traces takes nothing (${code}). What it misses is lost; requests are not touched.`)
    this.code = code
  }
}

/** Resolves when `ending` does, or when it takes too long; unsent steps are then lost. */
async function withinTime(ending: Promise<void>, onLate: () => void): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    onLate()
    resolve()
  }, CLOSE_MAX)
  try {
    await Promise.race([ending, late])
  } finally {
    clearTimeout(timer)
  }
}
