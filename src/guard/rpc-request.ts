import type { Caller, Trace } from '../kernel/ctx.ts'
import type { Leaving } from '../kernel/leaving.ts'
import type { LimitDecision } from '../kernel/ports.ts'
import type { RequestHeaders } from './credential.ts'

/** What the transport writes into the payment headers. */
interface PaymentTrace {
  /** PAYMENT-REQUIRED. */
  required?: string
  /** PAYMENT-RESPONSE. */
  response?: string
  /** Hash of the block, for the log; the block itself could be used to take the money until it is on the ledger. */
  hash?: string
}

/** What the transport needs of a request: its headers, its log line, its metrics. */
export type RpcTrace = Trace & {
  action: string | undefined
  caller: Caller | undefined
  /** Whether the answer is a stored one. */
  replayed?: boolean
  payment?: PaymentTrace
  /** Names of request fields that the action does not know. */
  ignored?: string | undefined
  /** Numbers of the RateLimit headers. */
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
  /** The endpoint; unset, the service's own. */
  endpoint?: EndpointName | undefined
  text: string
  headers: RequestHeaders
  url: string
  /** The client's network address, as far as it can be trusted. */
  ip: string
  /** Whether a program on this machine takes a local gateway on the development ledger for its node. */
  isLocal?: boolean
  /** Notifies when the client has left. */
  leaving: Leaving
}
