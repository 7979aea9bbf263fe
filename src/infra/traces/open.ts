import type { Config } from '../../config/config.ts'
import type { Failures } from '../../kernel/failures.ts'
import type { Traces } from '../../kernel/traces.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'

export interface TracesParts {
  log: Log
  metrics: Pick<Metrics, 'traceSteps'>
  failures: Failures
  /** Of the gateway. */
  version: string
  /** Whether a caller at an address decides what is traced of its requests. */
  trusts(ip: string): boolean
}

export interface OpenTraces extends Traces {
  /** Sends what waits, as far as that is done in a moment. */
  close(): Promise<void>
}

/** Traces, where the operator has a collector for them. Nothing of what makes them is loaded where there is none. */
export async function openTraces(config: Config, parts: TracesParts): Promise<OpenTraces | undefined> {
  const { tracesCollector: url } = config
  if (url === undefined) return undefined
  // The built command line has it in itself; whoever runs the sources may have left it out.
  const { openOtlpTraces } = await import('./otlp.ts').catch((error: unknown) => {
    const text = 'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages that make traces are not installed.'
    throw new Error(text, { cause: error })
  })
  return openOtlpTraces({
    ...parts,
    url,
    headers: config.tracesHeaders,
    service: config.tracesService,
    share: config.tracesShare,
  })
}
