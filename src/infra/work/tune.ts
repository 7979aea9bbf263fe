import { formatWork, workValue } from '../../kernel/nano/work.ts'
import { type HashSteps, hashSteps } from './blake2b-steps.ts'
import { emitModule } from './emit.ts'
import { type Searcher, openSearcher, rootWords } from './searcher.ts'
import { type Shape, lanesOf } from './shapes.ts'
import { type WebAssemblyModule, webAssembly } from './web-assembly.ts'

/** A search that gave right results. */
export interface Tuned {
  shape: string
  lanes: number
  module: WebAssemblyModule
  /** Hashes per second on one thread. */
  rate: number
  /** The speed of each variant of the search. */
  shapes: readonly { shape: string; rate: number }[]
}

/** The part that is stored. The code is generated again, and must give right results again. */
export type Tuning = Pick<Tuned, 'shape' | 'rate' | 'shapes'>

export interface Candidate {
  shape: string
  lanes: number
  bytes: Uint8Array
}

interface Contender extends Omit<Tuned, 'shapes'> {
  searcher: Searcher
}

const KNOWN = { root: '718CC2121C3E641059BC1C2CFC45666C99E8AE922F7A807B7D07B62C995D79E2', nonce: 0x2bf29ef00786a6bcn }
const UNREACHABLE = 2n ** 64n - 1n
const ROUNDS = 7
const SLICE_MILLISECONDS = 3
/** Calls are short, because V8 switches to better machine code only between two calls. */
const CALL_NONCES = 1_200

export function emitCandidates(shapes: readonly Shape[], hash: HashSteps = hashSteps()): Candidate[] {
  return shapes.map((shape) => ({ shape: shape.name, lanes: lanesOf(shape), bytes: emitModule(hash, shape) }))
}

/** Whether a known nonce is found in every lane with exactly its threshold, and not with a higher one. */
function knowsTheAnswer(searcher: Searcher, lanes: number): boolean {
  const value = workValue(KNOWN.root, formatWork(KNOWN.nonce))
  searcher.setRoot(rootWords(KNOWN.root))
  for (let lane = 0; lane < lanes; lane++) {
    const start = KNOWN.nonce - BigInt(lane)
    if (searcher.search(start, lanes, value) !== KNOWN.nonce) return false
    if (searcher.search(start, lanes, value + 1n) !== undefined) return false
  }
  return true
}

/**
 * Processor time of this thread, because elapsed time says little if the machine does other work. Node 22 has only
 * elapsed time.
 */
function threadMilliseconds(): number {
  const used = process.threadCpuUsage?.()
  return used ? (used.user + used.system) / 1000 : performance.now()
}

/** Hashes per second during one slice of time. */
function timeSlice({ searcher, lanes }: Contender): number {
  const count = CALL_NONCES - (CALL_NONCES % lanes)
  const started = threadMilliseconds()
  let elapsed = 0
  let hashes = 0
  while (elapsed < SLICE_MILLISECONDS) {
    searcher.search(BigInt(hashes), count, UNREACHABLE)
    hashes += count
    elapsed = threadMilliseconds() - started
  }
  return (hashes / elapsed) * 1000
}

/** The search of a candidate, if it runs here and gives right results. */
function prove({ shape, lanes, bytes }: Candidate, hash: HashSteps): Contender | undefined {
  if (!webAssembly?.validate(bytes)) return undefined
  const module = new webAssembly.Module(bytes)
  const searcher = openSearcher(module, hash)
  return knowsTheAnswer(searcher, lanes) ? { shape, lanes, module, searcher, rate: 0 } : undefined
}

/** The search that was the fastest when it was measured; undefined if unknown, or if it now gives wrong results. */
export function recallTuned(shapes: readonly Shape[], known: Tuning | undefined): Tuned | undefined {
  const fastest = shapes.find(({ name }) => name === known?.shape)
  if (!known || !fastest) return undefined
  const hash = hashSteps()
  const proven = emitCandidates([fastest], hash).map((candidate) => prove(candidate, hash))[0]
  if (!proven) return undefined
  const { shape, lanes, module } = proven
  return { shape, lanes, module, rate: known.rate, shapes: known.shapes }
}

/**
 * The fastest search with right results. Candidates that this processor or this V8 cannot run, or runs wrongly, are
 * skipped. The winner is always measured, because V8 versions arrange instructions differently.
 */
export function tune(candidates: readonly Candidate[]): Tuned {
  if (!webAssembly) throw new Error('This Node runs without WebAssembly, which the search for work needs.')
  const hash = hashSteps()
  const contenders = candidates.flatMap((candidate) => prove(candidate, hash) ?? [])
  if (contenders.length === 0) throw new Error('No form of the search for work gives right answers on this machine.')
  // In turns, so that a busy moment of the machine affects all candidates alike, and V8 has time to optimise each.
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of contenders) contender.rate = Math.max(contender.rate, timeSlice(contender))
  }
  const { shape, lanes, module, rate } = contenders.reduce((best, other) => (other.rate > best.rate ? other : best))
  return { shape, lanes, module, rate, shapes: contenders.map((one) => ({ shape: one.shape, rate: one.rate })) }
}
