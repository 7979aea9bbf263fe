import type { Caller, Trace } from '../kernel/ctx.ts'
import type { Leaving } from '../kernel/leaving.ts'
import type { LimitDecision } from '../kernel/ports.ts'
import type { RequestHeaders } from './credential.ts'

interface PaymentTrace {
  /** PAYMENT-REQUIRED. */
  required?: string
  /** PAYMENT-RESPONSE. */
  response?: string
  /**
   * Hash of the block, for the log. The block itself must not be logged: until it is on the ledger, anybody could
   * publish it.
   */
  hash?: string
}

/** What the transport needs for headers, log line and metrics. */
export type RpcTrace = Trace & {
  action: string | undefined
  caller: Caller | undefined
  /** Whether the answer was stored by an earlier request. */
  replayed?: boolean
  payment?: PaymentTrace
  /** Names of request fields that the action does not know. */
  ignored?: string | undefined
  /** For the RateLimit headers. */
  limit: LimitDecision | undefined
}

/** How a request ended: with an answer, or with an error. */
export type RpcOutcome = { trace: RpcTrace } & (
  | { answer: string; error?: undefined }
  | { answer?: undefined; error: unknown }
)

/** The node's endpoint, or the service's with the action in the path. */
export type EndpointName = 'node' | { action: string }

/** A request as the transport passes it on. */
export interface RpcRequest {
  requestId: string
  /** By default the service's endpoint. */
  endpoint?: EndpointName | undefined
  text: string
  headers: RequestHeaders
  url: string
  /** The client's network address, determined with trusted proxies only. */
  ip: string
  /** Whether a program on this machine uses a local gateway on the development ledger as its node. */
  isLocal?: boolean
  /** Reports that the client has left. */
  leaving: Leaving
}
