import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type JsonRpcCall, isBatch, readBatch, readJsonRpc } from '../guard/json-rpc.ts'
import { countUnread, dispatch } from '../guard/dispatch.ts'
import { Leaving } from '../kernel/leaving.ts'
import { AppError } from '../kernel/errors.ts'
import { TooManyRequests } from '../guard/throttle.ts'
import type { LimitDecision } from '../kernel/ports.ts'
import type { EndpointName, RpcOutcome, RpcRequest, RpcTrace } from '../guard/rpc-request.ts'
import { type Ask, type Asking, CLIENT_LEFT, createAsk, overloaded, roundedSince } from './ask.ts'
import { answerBatch } from './batch.ts'
import type { ClientIp } from './client-ip.ts'
import { isOnThisMachine } from './developer-access.ts'
import { CORS_HEADERS, NODE_HEADERS } from './page-headers.ts'
import { toErrorReply, toNodeText } from './errors.ts'
import { toJsonRpcError, toJsonRpcResult } from './json-rpc.ts'
import { UsualRequest } from './usual-requests.ts'

export interface RpcOptions extends Asking {
  bodyBytesMax: number
  /** How many requests of one batch run at once. */
  batchWidth: number
  clientIp: ClientIp
  nextRequestId(): string
  /** Whether the server is stopping, so that a connection ends with its answer. */
  isDraining(): boolean
  /**
   * Whether this is a local gateway on the development ledger, which programs on this machine may use as their node.
   */
  servesThisMachine: boolean
}

type PartialTrace = Partial<RpcTrace>

interface Reply {
  text: string
  status?: number
  /** The status sent to the client, if it differs from the reported one. */
  statusLine?: number
  /** Additional headers, as names and values in turn. */
  extra?: string[]
  code?: string | undefined
  cause?: unknown
}

/** Status for a notification, which gets no body. */
const NOTHING_TO_SAY = 202

/** Names and values in turn: Node writes this form fastest. */
const SERVICE_HEADERS = Object.entries({
  ...CORS_HEADERS,
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
}).flat()
const NODE_ENDPOINT_HEADERS = Object.entries({ ...NODE_HEADERS, 'cache-control': 'no-store' }).flat()

/** A request that is being answered. */
interface Answering {
  readonly request: IncomingMessage | UsualRequest
  readonly response: ServerResponse | UsualRequest
  readonly endpoint: EndpointName | undefined
  readonly requestId: string
  readonly startedAt: number
  readonly ip: string
  /** Set if the client uses JSON-RPC. */
  call: JsonRpcCall | undefined
  isTooLarge: boolean
}

/**
 * The RPC endpoint: one JSON object in, one JSON value out. The path may name the action instead of the body, and the
 * body may be a list of requests, or JSON-RPC. It bypasses the router, which would cost as much as everything else in
 * these frequent requests.
 */
export class RpcEndpoint {
  readonly #options: RpcOptions
  readonly #ask: Ask

  constructor(options: RpcOptions) {
    this.#options = options
    this.#ask = createAsk(options)
  }

  /** Answers a request whose body has been read. */
  answerRead(request: UsualRequest, endpoint: EndpointName | undefined, body: Buffer): void {
    this.#run(this.#begin(request, request, endpoint), body)
  }

  answer(request: IncomingMessage, response: ServerResponse, endpoint: EndpointName | undefined): void {
    const { bodyBytesMax } = this.#options
    const answering = this.#begin(request, response, endpoint)
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= bodyBytesMax) chunks.push(chunk)
      else if (!answering.isTooLarge) {
        answering.isTooLarge = true
        chunks.length = 0
        this.#refuseUnread(answering, new AppError('body_too_large', `The body is larger than ${bodyBytesMax} bytes.`))
      }
    })
    request.on('end', () => {
      if (!answering.isTooLarge) this.#run(answering, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    })
  }

  #begin(
    request: Answering['request'],
    response: Answering['response'],
    endpoint: EndpointName | undefined,
  ): Answering {
    const { clientIp, nextRequestId } = this.#options
    return {
      request,
      response,
      endpoint,
      startedAt: performance.now(),
      requestId: nextRequestId(),
      ip: clientIp(request.socket.remoteAddress, request.headers['x-forwarded-for']),
      call: undefined,
      isTooLarge: false,
    }
  }

  #run(answering: Answering, bytes: Buffer): void {
    const { gateway, concurrencyMax, running, servesThisMachine } = this.#options
    if (running.count >= concurrencyMax) {
      // The caller is not known yet, so the reported limit is that of the whole process.
      const limit = { allowed: false, limit: concurrencyMax, remaining: 0, resetSeconds: 1, retryAfterSeconds: 1 }
      this.#refuse(answering, overloaded(), { limit })
      return
    }
    const { request, response, endpoint, requestId, ip } = answering
    const leaving = new Leaving()
    // A node cannot read text that is not UTF-8. Decoding would replace the wrong bytes, and the request would get an
    // answer.
    const text = endpoint === 'node' && !isUtf8(bytes) ? '' : bytes.toString()
    const { headers, url = '/' } = request
    if (endpoint === undefined && isBatch(text)) {
      // Answers of a batch are written one by one, which only node:http supports.
      if (response instanceof UsualRequest) response.giveBack()
      else {
        cancelOnLeave(response, leaving)
        this.#runAll(answering, response, text, { requestId, headers, url, ip, leaving })
      }
      return
    }
    if (endpoint === undefined) answering.call = readJsonRpc(text, gateway.registry)
    const { call } = answering
    if (call?.wrong) {
      this.#refuseUnread(answering, call.wrong)
      return
    }
    const isLocal = servesThisMachine && endpoint === 'node' && isOnThisMachine(request)
    const asked = { requestId, endpoint, text: call ? call.text : text, headers, url, ip, isLocal, leaving }
    const outcome = dispatch(gateway, asked)
    if (!(outcome instanceof Promise)) {
      this.#finish(answering, outcome, leaving)
      return
    }
    running.count++
    cancelOnLeave(response, leaving)
    void outcome.then((outcome) => {
      running.count--
      this.#finish(answering, outcome, leaving)
    })
  }

  #finish(answering: Answering, { trace, answer, error }: RpcOutcome, leaving: Leaving): void {
    const { call } = answering
    if (answer !== undefined) {
      this.#send(answering, trace, call ? inCall(call, (id) => toJsonRpcResult(id, answer)) : { text: answer })
    } else if (leaving.left) this.#send(answering, trace, { text: '', status: CLIENT_LEFT })
    else this.#refuse(answering, error, trace)
  }

  #runAll(answering: Answering, response: ServerResponse, text: string, common: Omit<RpcRequest, 'text'>): void {
    const { gateway, batchWidth, isDraining } = this.#options
    const { requestId, startedAt } = answering
    let texts: string[]
    try {
      texts = readBatch(text, common.headers)
    } catch (error) {
      this.#refuseUnread(answering, error as AppError)
      return
    }
    const begin = (limit: LimitDecision | undefined) => {
      const headers = headersOf(
        { limit },
        { headers: SERVICE_HEADERS, requestId, rounded: roundedSince(startedAt), extra: [] },
      )
      if (isDraining()) headers.push('connection', 'close')
      response.writeHead(200, headers)
    }
    const batch = { texts, request: common, width: batchWidth, registry: gateway.registry, ask: this.#ask }
    void answerBatch(batch, response, begin).then(() => {
      if (!response.headersSent) this.#send(answering, {}, { text: '', status: NOTHING_TO_SAY })
    })
  }

  #send(
    { response, endpoint, requestId, startedAt }: Answering,
    trace: PartialTrace,
    { text, status = 200, statusLine = status, extra = [], code, cause }: Reply,
  ): void {
    const { isDraining, report } = this.#options
    const rounded = roundedSince(startedAt)
    const always = endpoint === 'node' ? NODE_ENDPOINT_HEADERS : SERVICE_HEADERS
    const headers = headersOf(trace, { headers: always, requestId, rounded, extra })
    headers.push('content-length', String(Buffer.byteLength(text)))
    if (isDraining()) headers.push('connection', 'close')
    response.writeHead(statusLine, headers)
    response.end(text)
    const { action = 'unknown', cache, caller, payment } = trace
    report({ requestId, action, status, code, cache, caller, payment: payment?.hash, milliseconds: rounded, cause })
  }

  #refuse(answering: Answering, error: unknown, trace: PartialTrace = {}): void {
    const { call, endpoint, isTooLarge } = answering
    const { status, code, body, retryAfterSeconds, isFailure } = toErrorReply(error)
    const reported = error instanceof TooManyRequests ? { ...trace, limit: error.decision } : trace
    const extra = retryAfterSeconds === undefined ? [] : ['retry-after', String(retryAfterSeconds)]
    // The unread body cannot be skipped, so the connection ends with this answer.
    if (isTooLarge) extra.push('connection', 'close')
    const reply = { status, extra, code, cause: isFailure ? error : undefined }
    if (call)
      this.#send(answering, reported, { ...reply, ...inCall(call, (id) => toJsonRpcError(id, error, reported)) })
    else
      this.#send(answering, reported, {
        ...reply,
        text: endpoint === 'node' ? toNodeText(error, body) : JSON.stringify(body),
      })
  }

  #refuseUnread(answering: Answering, error: AppError): void {
    countUnread(this.#options.gateway, answering.ip).then(
      (limit) => this.#refuse(answering, error, { limit }),
      (limited: unknown) => this.#refuse(answering, limited),
    )
  }
}

/** If the client leaves, cancels what only this client waits for. */
function cancelOnLeave(response: Answering['response'], leaving: Leaving): void {
  response.on('close', () => {
    if (!response.writableFinished) leaving.leave()
  })
}

/** Answers a JSON-RPC call with status 200, because JSON-RPC clients read no other; a notification gets no body. */
function inCall({ id }: JsonRpcCall, toText: (id: string) => string): Pick<Reply, 'text' | 'statusLine'> {
  return id === undefined ? { text: '', statusLine: NOTHING_TO_SAY } : { text: toText(id), statusLine: 200 }
}

function headersOf(
  trace: PartialTrace,
  {
    headers: always,
    requestId,
    rounded,
    extra,
  }: { headers: string[]; requestId: string; rounded: number; extra: string[] },
): string[] {
  const headers = always.concat('x-request-id', requestId, 'server-timing', `total;dur=${rounded}`, extra)
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
