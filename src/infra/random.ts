import { randomBytes } from 'node:crypto'
import { randomId } from '../kernel/api-key.ts'
import type { Ids, Random } from '../kernel/ports.ts'

export const systemRandom: Random = { bytes: (count) => new Uint8Array(randomBytes(count)) }

const LENGTH = 22

/** Makes ids in base58 with about 128 random bits: `acc_…`, `key_…`, `job_…`. */
export function openIds(random: Random): Ids {
  return { next: (prefix) => `${prefix}_${randomId(random, LENGTH)}` }
}
