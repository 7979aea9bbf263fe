import type { Caller, Trace } from '../kernel/ctx.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import { Leaving } from '../kernel/leaving.ts'
import type { ClientNodePort, KeyLookup, SecretBox } from '../kernel/ports.ts'
import { type UsageMeter } from '../modules/accounts/index.ts'
import type { Seller } from '../modules/x402/index.ts'
import { type Tariffs } from './charge.ts'
import { type Asked, type Body, type Endpoint, type Readable } from './endpoints.ts'
import { type Purchase } from './pay.ts'
import type { RegisteredAction, Registry } from './registry.ts'
import { type KnownAnswer, type RememberedAnswers } from './remembered.ts'
import type { RpcRequest, RpcTrace } from './rpc-request.ts'
import type { Entry, Throttle } from './throttle.ts'

/** What all requests share; the node and the caller are added for each. */
export interface Gateway extends Readable {
  registry: Registry
  keys: KeyLookup
  remembered: RememberedAnswers
  throttle: Throttle
  nodeFor(trace: Trace, leaving: Leaving): ClientNodePort
  tariffs: Tariffs
  usage: Pick<UsageMeter, 'count'>
  /** Encrypts the answers stored for repeated requests. */
  secrets: SecretBox
  /** Sells actions by request; undefined if none has a price. */
  seller: Seller | undefined
  store: StoreCtx
}

/** The state of a request between two steps. A step may rely on everything that earlier steps have set. */
export interface Passing {
  readonly gateway: Gateway
  readonly request: RpcRequest
  readonly endpoint: Endpoint
  readonly trace: RpcTrace
  order: readonly Step[]
  /** A remembered answer for exactly these bytes, if it is still current. */
  known: KnownAnswer | undefined
  body: Body | undefined
  found: RegisteredAction | undefined
  caller: Caller | undefined
  credential: string | undefined
  /** Whether the request was counted against its caller. */
  isCounted: boolean
  entry: Entry | undefined
  purchase: Purchase | undefined
  asked: Asked | undefined
  answer: string | undefined
}

export function countUse({ gateway, caller, found }: Passing): void {
  if (caller!.kind === 'account') gateway.usage.count(caller!.accountId, found!.action.name)
}

export interface Step {
  name: string
  /** What the step does, and with which status it refuses; for the documents. */
  what: string
  pass(passing: Passing): void | Promise<void>
}
