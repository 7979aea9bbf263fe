import type { FoundDevice } from './device.ts'
import type { MeasuredShape } from './tune.ts'

/** What the process of a device is told. */
export type ToDevice =
  | { search: number; root: string; threshold: bigint; start: bigint }
  /** A search whose callers have left. */
  | { stop: number }

/** What it tells. */
export type FromDevice =
  | { ready: { shape: string; rate: number; shapes: readonly MeasuredShape[] } }
  | { found: number; nonce: bigint }
  /** A search that was called off is over. */
  | { ended: number }
  /** The device does not work; the process ends. */
  | { broken: string }

/** What the process that looks around tells, once. */
export interface Seen {
  devices: readonly FoundDevice[]
}
