import type { StoreCtx } from './in-tx.ts'
import type { Clock, Names, NodePort } from './ports.ts'

/** Who calls: nobody in particular, or the holder of a key. */
export type Caller =
  | { kind: 'anonymous' }
  | { kind: 'account'; accountId: string; role: 'user' | 'admin'; prepaid: boolean; door: 'secret-key' | 'public-key' }

/** What a request leaves behind for headers, logs and metrics. */
export interface Trace {
  requestId?: string
  cache: 'hit' | 'miss' | 'coalesced' | 'stale' | undefined
  /** Whether the remembered answer this one was made from still counts; unset when it came from more than one. */
  fresh: (() => boolean) | undefined
}

/** Everything an action may use. It receives ports and never reaches for them. */
export interface Ctx {
  requestId: string
  caller: Caller
  clock: Clock
  node: NodePort
  store: StoreCtx
  /** What this call costs its account. */
  credits: number
  /** Where links to this service begin. */
  baseUrl(): string
  names: Names
  limits: { countMax: number; findDepthMax: number }
  thresholds: { send: bigint; receive: bigint }
}
