import { blake2b } from '@noble/hashes/blake2.js'
import { hexToBytes } from './hex.ts'

const TWO_64 = 2n ** 64n

/** The smallest work values that a network accepts, by what a block does. */
export interface WorkThresholds {
  /** Blocks of accounts before epoch 2, and all legacy blocks. */
  epoch1: bigint
  /** Sends and representative changes from epoch 2 on; also the base of multipliers. */
  send: bigint
  /** Receives, opens and epoch blocks from epoch 2 on; also the smallest value accepted for any state block. */
  receive: bigint
}

export const WORK_THRESHOLDS = {
  live: { epoch1: 0xffffffc000000000n, send: 0xfffffff800000000n, receive: 0xfffffe0000000000n },
  beta: { epoch1: 0xfffff00000000000n, send: 0xfffff00000000000n, receive: 0xffffe00000000000n },
  dev: { epoch1: 0xfe00000000000000n, send: 0xffc0000000000000n, receive: 0xf000000000000000n },
  /** A development ledger that accepts any work, for tests of other things. */
  none: { epoch1: 0n, send: 0n, receive: 0n },
} as const satisfies Record<string, WorkThresholds>

/** How hard a work value was to find for a root; a larger value is harder. Both arguments are hexadecimal. */
export function workValue(root: string, work: string): bigint {
  const input = new Uint8Array(40)
  input.set(hexToBytes(work).reverse())
  input.set(hexToBytes(root), 8)
  const { buffer, byteOffset } = blake2b(input, { dkLen: 8 })
  return new DataView(buffer, byteOffset).getBigUint64(0, true)
}

/** How many times harder than `base` a difficulty is. */
export function toMultiplier(difficulty: bigint, base: bigint): number {
  return Number(TWO_64 - base) / Number(TWO_64 - difficulty)
}

/** The difficulty that is `multiplier` times harder than `base`, within 64 bits. */
export function fromMultiplier(multiplier: number, base: bigint): bigint {
  const reverse = BigInt(Math.trunc(Math.min(Number(TWO_64 - base) / multiplier, 2 ** 127)))
  if (reverse >= TWO_64) return 0n
  if (reverse === 0n) return multiplier < 1 ? 0n : TWO_64 - 1n
  return TWO_64 - reverse
}

/**
 * The largest difficulty for which the gateway searches. A multiplier may be up to 64, as for a node. An explicit
 * difficulty may be that of the live network even if the base is lower, because many clients always use the thresholds
 * of the live network.
 */
export function difficultyLimit(base: bigint, by: 'multiplier' | 'difficulty'): bigint {
  const { send } = WORK_THRESHOLDS.live
  return fromMultiplier(64, by === 'difficulty' && send > base ? send : base)
}

export function formatMultiplier(multiplier: number): string {
  return multiplier.toFixed(15)
}

export function formatWork(work: bigint): string {
  return work.toString(16).padStart(16, '0')
}

/** So few tries take less time than passing the search to another thread, or writing a row. */
const FEW_HASHES = 4_096

/** Whether work of this threshold is found in less than a millisecond, as for blocks of the dev network. */
export const isSoonFound = (threshold: bigint): boolean => expectedHashes(threshold) <= FEW_HASHES

/** How many tries a value of at least `threshold` takes on average. */
export function expectedHashes(threshold: bigint): number {
  return Number(TWO_64) / Number(TWO_64 - threshold)
}
