import type { IncomingMessage, ServerResponse } from 'node:http'
import { isBatch, readBatch } from '../guard/batch.ts'
import { countUnread, dispatch } from '../guard/dispatch.ts'
import { type JsonRpcCall, readJsonRpc } from '../guard/json-rpc.ts'
import { Leaving } from '../kernel/leaving.ts'
import { AppError } from '../kernel/errors.ts'
import { HANDED_OVER } from '../guard/hand-over.ts'
import { TooManyRequests } from '../guard/throttle.ts'
import type { DoorName, RpcOutcome, RpcRequest, RpcTrace } from '../guard/rpc-request.ts'
import { type Asking, CLIENT_LEFT, createAsk, overloaded, roundedSince } from './ask.ts'
import { answerBatch } from './batch.ts'
import type { ClientIp } from './client-ip.ts'
import { CORS_HEADERS } from './cors.ts'
import { toErrorReply } from './errors.ts'
import { toJsonRpcError, toJsonRpcResult } from './json-rpc.ts'
import { remoteAddressOf } from './remote-address.ts'

export interface RpcOptions extends Asking {
  bodyBytesMax: number
  /** Requests of one batch that run at once. */
  batchWidth: number
  clientIp: ClientIp
  nextRequestId(): string
  /** Whether a connection ends with its answer. */
  isDraining(): boolean
  /** Takes what this process does not answer itself: the whole request, of which the body was read. */
  handOver?(request: IncomingMessage, response: ServerResponse, body: Buffer): void
}

/** What is told of a request beside its answer. */
type Told = Partial<RpcTrace>

interface Reply {
  text: string
  status?: number
  /** What the client gets in place of the status that is reported. */
  statusLine?: number
  /** Further headers: names and values by turns. */
  extra?: string[]
  code?: string | undefined
  cause?: unknown
}

/** To a notification there is no answer. */
const NOTHING_TO_SAY = 202

/** Names and values by turns, as Node writes them fastest. */
const HEADERS = [
  ...Object.entries(CORS_HEADERS).flat(),
  'content-type',
  'application/json; charset=utf-8',
  'cache-control',
  'no-store',
]

/**
 * The RPC endpoint: one POST, one JSON object in, one JSON value out; the path may name the action instead of the body, and a body
 * may be a list of requests, or speak JSON-RPC. It stands beside the router and not in it, because every request passes here and the router would cost as much as all the rest.
 */
export function createRpcEndpoint(options: RpcOptions) {
  const { gateway, bodyBytesMax, concurrencyMax, running, clientIp, nextRequestId, isDraining, report } = options
  const { batchWidth, handOver } = options
  const ask = createAsk(options)

  return function answer(request: IncomingMessage, response: ServerResponse, door?: DoorName): void {
    const startedAt = performance.now()
    const requestId = nextRequestId()
    let call: JsonRpcCall | undefined

    const send = (trace: Told, { text, status = 200, statusLine = status, extra = [], code, cause }: Reply) => {
      const rounded = roundedSince(startedAt)
      const headers = headersOf(trace, { requestId, rounded, extra })
      headers.push('content-length', String(Buffer.byteLength(text)))
      if (isDraining()) headers.push('connection', 'close')
      response.writeHead(statusLine, headers)
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
      const reply = { status, extra, code, cause: status >= 500 ? error : undefined }
      if (call) send(told, { ...reply, ...inCall(call, (id) => toJsonRpcError(id, error, told)) })
      else send(told, { ...reply, text: JSON.stringify(body) })
    }
    const refuseUnread = (error: AppError) => {
      countUnread(gateway, ip).then(
        (limit) => refuse(error, { limit }),
        (limited: unknown) => refuse(limited),
      )
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
        refuseUnread(new AppError('body_too_large', `The body is larger than ${bodyBytesMax} bytes.`))
      }
    })
    request.on('end', () => {
      if (isTooLarge) return
      if (running.count >= concurrencyMax) {
        refuse(overloaded())
        return
      }
      const leaving = new Leaving()
      // What only this client waits for is not worth finishing once it has left.
      const heedLeaving = () =>
        response.on('close', () => {
          if (!response.writableFinished) leaving.leave()
        })
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      const text = bytes.toString()
      const { headers, url = '/' } = request
      if (door === undefined && isBatch(text)) {
        // Who is counted for what, and what is paid for, one process knows of all of them.
        if (handOver) handOver(request, response, bytes)
        else {
          heedLeaving()
          answerAll(text, { requestId, headers, url, ip, leaving })
        }
        return
      }
      if (door === undefined) call = readJsonRpc(text, gateway.registry)
      if (call?.wrong) {
        refuseUnread(call.wrong)
        return
      }
      const finish = ({ trace, answer, error }: RpcOutcome) => {
        if (answer !== undefined) {
          send(trace, call ? inCall(call, (id) => toJsonRpcResult(id, answer)) : { text: answer })
        } else if (error === HANDED_OVER) handOver!(request, response, bytes)
        else if (leaving.left) send(trace, { text: '', status: CLIENT_LEFT })
        else refuse(error, trace)
      }
      const asked = { requestId, door, text: call ? call.text : text, headers, url, ip, leaving }
      const outcome = dispatch(gateway, asked)
      if (!(outcome instanceof Promise)) {
        finish(outcome)
        return
      }
      running.count++
      heedLeaving()
      void outcome.then((outcome) => {
        running.count--
        finish(outcome)
      })
    })

    const answerAll = (text: string, common: Omit<RpcRequest, 'text'>) => {
      let texts: string[]
      try {
        texts = readBatch(text, common.headers)
      } catch (error) {
        refuseUnread(error as AppError)
        return
      }
      const begin = () => {
        const headers = headersOf({}, { requestId, rounded: roundedSince(startedAt), extra: [] })
        if (isDraining()) headers.push('connection', 'close')
        response.writeHead(200, headers)
      }
      const batch = { texts, request: common, width: batchWidth, registry: gateway.registry, ask }
      void answerBatch(batch, response, begin).then(() => {
        if (!response.headersSent) send({}, { text: '', status: NOTHING_TO_SAY })
      })
    }
  }
}

/** What a call of JSON-RPC gets: always an answer that its client reads to the end, and a notification none. */
function inCall({ id }: JsonRpcCall, toText: (id: string) => string): Pick<Reply, 'text' | 'statusLine'> {
  return id === undefined ? { text: '', statusLine: NOTHING_TO_SAY } : { text: toText(id), statusLine: 200 }
}

function headersOf(
  trace: Told,
  { requestId, rounded, extra }: { requestId: string; rounded: number; extra: string[] },
): string[] {
  const headers = HEADERS.concat('x-request-id', requestId, 'server-timing', `total;dur=${rounded}`, extra)
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
