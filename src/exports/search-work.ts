import { availableParallelism } from 'node:os'
import { systemRandom } from '../infra/random.ts'
import { openCpuEngine } from '../infra/work/cpu.ts'
import { expectedHashes, formatWork, workValue } from '../kernel/nano/work.ts'

/** For fewer hashes, starting threads takes longer than the search. */
const FEW_HASHES = 100_000

/** Searches for work on this machine: at once for a test network, with all threads for the live one. */
export async function searchWork(root: string, threshold: bigint): Promise<string> {
  if (expectedHashes(threshold) <= FEW_HASHES) {
    for (let nonce = 0n; ; nonce++) {
      const work = formatWork(nonce)
      if (workValue(root, work) >= threshold) return work
    }
  }
  const engine = await openCpuEngine({ threads: Math.max(1, availableParallelism() - 1), random: systemRandom })
  try {
    const work = await engine.search({ root, threshold }, new AbortController().signal)
    if (work === undefined || workValue(root, work) < threshold) throw new Error('No work was found.')
    return work
  } finally {
    await engine.close()
  }
}
