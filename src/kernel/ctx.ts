import type { Clock, Names, NodePort } from './ports.ts'

/** Who calls: nobody in particular, or the holder of a key. */
export type Caller = { kind: 'anonymous' } | { kind: 'account'; accountId: string; door: 'secret-key' | 'public-key' }

/** What a request leaves behind for headers, logs and metrics. */
export interface Trace {
  cache: 'hit' | 'miss' | 'coalesced' | 'stale' | undefined
}

/** Everything an action may use. It receives ports and never reaches for them. */
export interface Ctx {
  requestId: string
  caller: Caller
  clock: Clock
  node: NodePort
  names: Names
  limits: { countMax: number; findDepthMax: number }
  thresholds: { send: bigint; receive: bigint }
}
