import type { FoundDevice } from './device.ts'
import type { MeasuredShape } from './tune.ts'

/** Messages to the process of a device. */
export type ToDevice =
  | { search: number; root: string; threshold: bigint; start: bigint }
  /** A search whose callers have left. */
  | { stop: number }

/** Messages from it. */
export type FromDevice =
  | { ready: { shape: string; rate: number; shapes: readonly MeasuredShape[] } }
  | { found: number; nonce: bigint }
  /** A search that was called off is over. */
  | { ended: number }
  /** The device does not work; the process ends. */
  | { broken: string }

/** What the process that detects devices reports, once. */
export interface Seen {
  devices: readonly FoundDevice[]
}
