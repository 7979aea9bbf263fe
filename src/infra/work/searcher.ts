import { hexToBytes } from '../../kernel/nano/hex.ts'
import { type HashSteps, hashSteps } from './blake2b-steps.ts'
import { constantAddress, nonceAddress } from './emit.ts'
import { type WebAssemblyModule, webAssembly } from './web-assembly.ts'

interface SearchExports {
  memory: { buffer: ArrayBuffer }
  search(start: bigint, count: number, threshold: bigint): number
}

/** Tries nonces in the calling thread. */
export interface Searcher {
  /** Sets the root of the search. */
  setRoot(root: readonly bigint[]): void
  /** The first nonce that reaches the threshold among `count` from `start` on; `count` is a multiple of the lanes. */
  search(start: bigint, count: number, threshold: bigint): bigint | undefined
}

export function openSearcher(module: WebAssemblyModule, hash: HashSteps = hashSteps()): Searcher {
  const { memory, search } = new webAssembly!.Instance(module).exports as SearchExports
  const words = new BigUint64Array(memory.buffer)
  const found = nonceAddress(hash) / 8
  return {
    setRoot(root) {
      hash.constantsOf(root).forEach((value, index) => words.fill(value, ...lanesAt(index)))
    },
    search: (start, count, threshold) => (search(start, count, threshold) === 1 ? words[found] : undefined),
  }
}

const lanesAt = (index: number): [number, number] => [constantAddress(index) / 8, constantAddress(index + 1) / 8]

/** The words of a root in the order in which the hash reads them. */
export function rootWords(root: string): bigint[] {
  const bytes = new DataView(hexToBytes(root).buffer)
  return [0, 8, 16, 24].map((offset) => bytes.getBigUint64(offset, true))
}
