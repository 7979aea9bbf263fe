import type { Config } from '../../config/config.ts'
import type { Failures } from '../../kernel/failures.ts'
import type { Traces } from '../../kernel/traces.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'

export interface TracesParts {
  log: Log
  metrics: Pick<Metrics, 'traceSteps'>
  failures: Failures
  /** Version of the gateway. */
  version: string
  /** Whether callers at this address may decide which of their requests are traced. */
  trusts(ip: string): boolean
}

export interface OpenTraces extends Traces {
  /** Sends waiting steps, as far as that is possible in a short time. */
  close(): Promise<void>
}

/** Opens traces if the operator has a collector; otherwise none of their code is loaded. */
export async function openTraces(config: Config, parts: TracesParts): Promise<OpenTraces | undefined> {
  const { tracesCollector: url } = config
  if (url === undefined) return undefined
  // The built command line contains the package. People who run from source may not have installed it.
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
