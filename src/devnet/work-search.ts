import { formatWork, workValue } from '../kernel/nano/work.ts'
import type { Random } from '../kernel/ports.ts'

/** Hashes between two looks at the event loop: about a millisecond. */
const CHUNK = 128

/** Finds work for the thresholds of the development network, where a send takes about a thousand tries. */
export async function searchWork(
  random: Random,
  root: string,
  difficulty: bigint,
  cancelled: () => boolean,
): Promise<string | undefined> {
  let nonce = Buffer.from(random.bytes(8)).readBigUInt64LE()
  while (!cancelled()) {
    for (let tries = 0; tries < CHUNK; tries++) {
      const work = formatWork(nonce)
      if (workValue(root, work) >= difficulty) return work
      nonce = BigInt.asUintN(64, nonce + 1n)
    }
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
  }
  return undefined
}
