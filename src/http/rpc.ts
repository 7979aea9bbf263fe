import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Gateway, countUnread, dispatch } from '../guard/dispatch.ts'
import { Leaving } from '../kernel/leaving.ts'
import { AppError } from '../kernel/errors.ts'
import { HANDED_OVER } from '../guard/hand-over.ts'
import { TooManyRequests } from '../guard/throttle.ts'
import type { DoorName, RpcOutcome, RpcTrace } from '../guard/rpc-request.ts'
import type { ClientIp } from './client-ip.ts'
import { CORS_HEADERS } from './cors.ts'
import { toErrorReply } from './errors.ts'
import { remoteAddressOf } from './remote-address.ts'

/** What the transport reports of each request; only these fields ever reach a log line. */
export interface RpcReport {
  requestId: string
  action: string
  status: number
  code: string | undefined
  cache: string | undefined
  caller: string | undefined
  /** Hash of the block that was presented as payment. */
  payment: string | undefined
  milliseconds: number
  cause: unknown
}

export interface RpcOptions {
  gateway: Gateway
  bodyBytesMax: number
  concurrencyMax: number
  clientIp: ClientIp
  nextRequestId(): string
  /** Whether a connection ends with its answer. */
  isDraining(): boolean
  report(report: RpcReport): void
  /** Takes what this process does not answer itself: the whole request, of which the body was read. */
  handOver?(request: IncomingMessage, response: ServerResponse, body: Buffer): void
}

/** What is told of a request beside its answer. */
type Told = Partial<RpcTrace>

interface Reply {
  text: string
  status?: number
  /** Further headers: names and values by turns. */
  extra?: string[]
  code?: string | undefined
  cause?: unknown
}

/** What the log says of a client that did not wait for its answer. */
const CLIENT_LEFT = 499

/** Names and values by turns, as Node writes them fastest. */
const HEADERS = [
  ...Object.entries(CORS_HEADERS).flat(),
  'content-type',
  'application/json; charset=utf-8',
  'cache-control',
  'no-store',
]

/**
 * The RPC endpoint: one POST, one JSON object in, one JSON value out; the path may name the action instead of the body. It
 * stands beside the router and not in it, because every request passes here and the router would cost as much as all the rest.
 */
export function createRpcEndpoint(options: RpcOptions) {
  const { gateway, bodyBytesMax, concurrencyMax, clientIp, nextRequestId, isDraining, report, handOver } = options
  let running = 0

  return function answer(request: IncomingMessage, response: ServerResponse, door?: DoorName): void {
    const startedAt = performance.now()
    const requestId = nextRequestId()

    const send = (trace: Told, { text, status = 200, extra = [], code, cause }: Reply) => {
      const milliseconds = performance.now() - startedAt
      const rounded = Math.round(milliseconds * 10) / 10
      const headers = headersOf(trace, { requestId, rounded, text, extra })
      if (isDraining()) headers.push('connection', 'close')
      response.writeHead(status, headers)
      response.end(text)
      const { action = 'unknown', cache, caller, payment } = trace
      report({ requestId, action, status, code, cache, caller, payment: payment?.hash, milliseconds: rounded, cause })
    }
    const refuse = (error: unknown, trace: Told = {}) => {
      const { status, code, body, retryAfterSeconds } = toErrorReply(error)
      const told = error instanceof TooManyRequests ? { ...trace, limit: error.decision } : trace
      const extra = retryAfterSeconds === undefined ? [] : ['retry-after', String(retryAfterSeconds)]
      // What was not read cannot be skipped, so the connection ends with the answer.
      if (isTooLarge) extra.push('connection', 'close')
      send(told, { text: JSON.stringify(body), status, extra, code, cause: status >= 500 ? error : undefined })
    }

    const ip = clientIp(remoteAddressOf(request), request.headers['x-forwarded-for'])
    const chunks: Buffer[] = []
    let size = 0
    let isTooLarge = false
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= bodyBytesMax) chunks.push(chunk)
      else if (!isTooLarge) {
        isTooLarge = true
        chunks.length = 0
        const error = new AppError('body_too_large', `The body is larger than ${bodyBytesMax} bytes.`)
        countUnread(gateway, ip).then(
          (limit) => refuse(error, { limit }),
          (limited: unknown) => refuse(limited),
        )
      }
    })
    request.on('end', () => {
      if (isTooLarge) return
      if (running >= concurrencyMax) {
        refuse(
          new AppError('overloaded', 'Too many requests at once. Try again in a moment.', { retryAfterSeconds: 1 }),
        )
        return
      }
      const leaving = new Leaving()
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      const text = bytes.toString()
      const { headers, url = '/' } = request
      const finish = ({ trace, answer, error }: RpcOutcome) => {
        if (answer !== undefined) send(trace, { text: answer })
        else if (error === HANDED_OVER) handOver!(request, response, bytes)
        else if (leaving.left) send(trace, { text: '', status: CLIENT_LEFT })
        else refuse(error, trace)
      }
      const outcome = dispatch(gateway, { requestId, door, text, headers, url, ip, leaving })
      if (!(outcome instanceof Promise)) {
        finish(outcome)
        return
      }
      running++
      // A read that only this client waited for is not worth finishing once it has left.
      response.on('close', () => {
        if (!response.writableFinished) leaving.leave()
      })
      void outcome.then((outcome) => {
        running--
        finish(outcome)
      })
    })
  }
}

function headersOf(
  trace: Told,
  { requestId, rounded, text, extra }: { requestId: string; rounded: number; text: string; extra: string[] },
): string[] {
  const length = String(Buffer.byteLength(text))
  const timing = `total;dur=${rounded}`
  const headers = HEADERS.concat('x-request-id', requestId, 'server-timing', timing, 'content-length', length, extra)
  if (trace.cache !== undefined) headers.push('x-cache', trace.cache)
  if (trace.ignored) headers.push('x-ignored-fields', trace.ignored)
  if (trace.replayed) headers.push('idempotent-replayed', 'true')
  if (trace.payment?.required) headers.push('payment-required', trace.payment.required)
  if (trace.payment?.response) headers.push('payment-response', trace.payment.response)
  if (trace.limit) {
    const { limit, remaining, resetSeconds } = trace.limit
    headers.push('ratelimit-limit', `${limit}`, 'ratelimit-remaining', `${remaining}`)
    headers.push('ratelimit-reset', `${resetSeconds}`)
  }
  return headers
}
