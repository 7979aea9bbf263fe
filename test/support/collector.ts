import type { TestContext } from 'node:test'
import { serveWhole } from './serve.ts'

/** A span as received by a collector. */
export interface ToldStep {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  facts: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  hasFailed: boolean
}

export interface Collector {
  url: string
  /** Everything received, without headers. */
  bytes(): string
  headers(): readonly (string | string[] | undefined)[]
  steps(): ToldStep[]
  /** The spans of the trace whose response had this request id. */
  traceOf(requestId: unknown): ToldStep[]
  /** Sets the status of its answers. */
  answerWith(status: number): void
}

interface OtlpSpan extends Omit<ToldStep, 'facts' | 'links' | 'hasFailed'> {
  attributes?: { key: string; value: Record<string, unknown> }[]
  links?: ToldStep['links']
  status?: { code?: number }
}
interface OtlpBody {
  resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[]
}

/** An OpenTelemetry collector on loopback that records traces in JSON. */
export async function openCollector(t: Pick<TestContext, 'after'>): Promise<Collector> {
  const bodies: string[] = []
  const headers: (string | string[] | undefined)[] = []
  let status = 200
  const url = await serveWhole(t, (body, request, response) => {
    if (request.url !== '/v1/traces') throw new Error(`Nothing is taken at ${request.url}.`)
    if (status === 200) bodies.push(body)
    headers.push(request.headers['x-collector-key'])
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  const steps = () =>
    bodies
      .flatMap((body) => (JSON.parse(body) as OtlpBody).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
      .map(toStep)
  return {
    url,
    bytes: () => bodies.join('\n'),
    headers: () => headers,
    steps,
    traceOf: (requestId) => {
      const told = steps()
      const traceId = told.find(({ facts }) => facts['gateway.request_id'] === requestId)?.traceId
      return told.filter((step) => traceId !== undefined && step.traceId === traceId)
    },
    answerWith: (given) => (status = given),
  }
}

const toStep = ({ attributes = [], links = [], status, ...span }: OtlpSpan): ToldStep => ({
  ...span,
  links,
  facts: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  hasFailed: status?.code === 2,
})
