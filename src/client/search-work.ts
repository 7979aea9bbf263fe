import { hashSteps } from '../infra/work/blake2b-steps.ts'
import { emitModule } from '../infra/work/emit.ts'
import { openSearcher, rootWords } from '../infra/work/searcher.ts'
import { SHAPES, lanesOf } from '../infra/work/shapes.ts'
import { webAssembly } from '../infra/work/web-assembly.ts'
import { expectedHashes, formatWork, workValue } from '../kernel/nano/work.ts'
import { rest } from './call.ts'

/** For fewer hashes, building the WebAssembly module takes longer than the search. */
const FEW_HASHES = 20_000
/** A chunk takes a few milliseconds; between chunks the event loop runs. */
const CHUNK = 24_576

/** Searches for work in this thread: takes milliseconds for a test network, about a minute for the live one. */
export async function searchWork(root: string, threshold: bigint): Promise<string> {
  if (expectedHashes(threshold) <= FEW_HASHES || webAssembly === undefined) return searchSlowly(root, threshold)
  const hash = hashSteps()
  // Processors that can try two nonces at a time do; all others use the last variant.
  const shape =
    SHAPES.findLast((each) => each.vector && webAssembly!.validate(emitModule(hash, each))) ?? SHAPES.at(-1)!
  const searcher = openSearcher(new webAssembly.Module(emitModule(hash, shape)), hash)
  searcher.setRoot(rootWords(root))
  const count = CHUNK - (CHUNK % lanesOf(shape))
  let next = crypto.getRandomValues(new BigUint64Array(1))[0]!
  for (;;) {
    const nonce = searcher.search(next, count, threshold)
    const work = nonce === undefined ? undefined : formatWork(BigInt.asUintN(64, nonce))
    // Checks the result with another implementation.
    if (work !== undefined && workValue(root, work) >= threshold) return work
    next = BigInt.asUintN(64, next + BigInt(count))
    await rest(0)
  }
}

async function searchSlowly(root: string, threshold: bigint): Promise<string> {
  for (let nonce = 0n; ; nonce++) {
    const work = formatWork(nonce)
    if (workValue(root, work) >= threshold) return work
    if (nonce % 4096n === 4095n) await rest(0)
  }
}
