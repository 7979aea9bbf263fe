/*
 * The value of a nonce is the first word of Blake2b (RFC 7693) over 40 bytes: the nonce, then the four words of a root.
 * That is one compression of five message words, of which only the nonce changes during a search. So the compression is
 * run once here, on names instead of numbers. What depends only on the root becomes a constant that is computed once
 * per search; additions of a zero word disappear; operations that no result needs are left out. Of 576 additions, 384
 * exclusive ors and 384 rotations, 414, 358 and 358 remain for each nonce.
 */

/** A word of the state (`v0` to `v15`), the nonce, or a constant of the root (`c0`, `c1`, …). */
export type Operand = string

export interface Operation {
  kind: 'add' | 'xorRotate'
  to: Operand
  left: Operand
  right: Operand
  /** How many bits the exclusive or is rotated to the right. */
  bits: number
}

export interface HashSteps {
  /** The operations in order; those of one step are independent of each other. */
  steps: readonly (readonly Operation[])[]
  /** The constants that the operations use. */
  constants: readonly Operand[]
  /** Computes the values of `constants` for the four words of a root. */
  constantsOf(root: readonly bigint[]): bigint[]
}

const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
]
const ROUNDS = 12
const COLUMNS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
]
const DIAGONALS = [
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
]
const INITIAL = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
]
const ALL_ONES = 2n ** 64n - 1n

/** The hash starts with this word, and ends with an exclusive or with it: a digest of 8 bytes, without a key. */
export const FIRST_WORD = INITIAL[0]! ^ 0x01010008n

function startState(): bigint[] {
  const state = [FIRST_WORD, ...INITIAL.slice(1), ...INITIAL]
  // The message has 40 bytes, and its first block is the last one.
  state[12]! ^= 40n
  state[14]! ^= ALL_ONES
  return state
}

type Recipe = (values: readonly bigint[], root: readonly bigint[]) => bigint

const rotateRight = (value: bigint, bits: bigint) => ((value >> bits) | (value << (64n - bits))) & ALL_ONES

/** Records the operations of the hash, and which words are still constant. */
class Recording {
  readonly steps: Operation[][] = []
  readonly recipes: Recipe[] = []
  readonly #state: Operand[]
  readonly #message: readonly (Operand | undefined)[]

  constructor() {
    this.#state = startState().map((value) => this.#constant(() => value))
    const root = [0, 1, 2, 3].map((index) => this.#constant((_, words) => words[index]!))
    this.#message = ['nonce', ...root]
  }

  #constant(recipe: Recipe): Operand {
    this.recipes.push(recipe)
    return `c${this.recipes.length - 1}`
  }

  /** Four independent mixing steps, each on a column or a diagonal of the state. */
  mix(groups: readonly (readonly number[])[], words: readonly number[]): void {
    const add = (to: number, from: number) =>
      this.#step(groups, (group) => this.#add(group[to]!, this.#state[group[from]!]))
    const xor = (to: number, from: number, bits: number) =>
      this.#step(groups, (group) => this.#xorRotate(group[to]!, this.#state[group[from]!]!, bits))
    this.#addBoth(groups, (index) => words[2 * index]!)
    xor(3, 0, 32)
    add(2, 3)
    xor(1, 2, 24)
    this.#addBoth(groups, (index) => words[2 * index + 1]!)
    xor(3, 0, 16)
    add(2, 3)
    xor(1, 2, 63)
  }

  /**
   * Adds the second word and a message word to the first word of each group. The second word was computed just before,
   * so the message word is added first, without waiting for it, unless two constants can be added.
   */
  #addBoth(groups: readonly (readonly number[])[], wordOf: (index: number) => number): void {
    const areConstants = groups.map(([a, b]) => isConstant(this.#state[a!]!) && isConstant(this.#state[b!]!))
    const addSecond = ([a, b]: readonly number[]) => this.#add(a!, this.#state[b!])
    const addWord = ([a]: readonly number[], index: number) => this.#add(a!, this.#message[wordOf(index)])
    this.#step(groups, (group, index) => (areConstants[index] ? addSecond(group) : addWord(group, index)))
    this.#step(groups, (group, index) => (areConstants[index] ? addWord(group, index) : addSecond(group)))
  }

  #step(
    groups: readonly (readonly number[])[],
    record: (group: readonly number[], index: number) => Operation | undefined,
  ): void {
    const operations = groups.map(record).filter((operation) => operation !== undefined)
    if (operations.length > 0) this.steps.push(operations)
  }

  #add(to: number, right: Operand | undefined): Operation | undefined {
    // Eleven of the sixteen message words are zero.
    if (right === undefined) return undefined
    return this.#record(
      { kind: 'add', to: `v${to}`, left: this.#state[to]!, right, bits: 0 },
      to,
      (a, b) => (a + b) & ALL_ONES,
    )
  }

  #xorRotate(to: number, right: Operand, bits: number): Operation | undefined {
    const operation: Operation = { kind: 'xorRotate', to: `v${to}`, left: this.#state[to]!, right, bits }
    return this.#record(operation, to, (a, b) => rotateRight(a ^ b, BigInt(bits)))
  }

  #record(operation: Operation, to: number, compute: (a: bigint, b: bigint) => bigint): Operation | undefined {
    const [left, right] = [constantIndex(operation.left), constantIndex(operation.right)]
    if (left === undefined || right === undefined) {
      this.#state[to] = operation.to
      return operation
    }
    this.#state[to] = this.#constant((values) => compute(values[left]!, values[right]!))
    return undefined
  }
}

const isConstant = (operand: Operand) => constantIndex(operand) !== undefined

function constantIndex(operand: Operand): number | undefined {
  return operand.startsWith('c') ? Number(operand.slice(1)) : undefined
}

/** Follows the operations back from the two words of the result, and drops those that are not needed. */
function keepNeeded(steps: readonly Operation[][]): Operation[][] {
  const needed = new Set<Operand>(['v0', 'v8'])
  return steps
    .toReversed()
    .map((step) => {
      const kept = step.filter(({ to }) => needed.has(to))
      for (const { to } of kept) needed.delete(to)
      for (const { left, right } of kept) needed.add(left).add(right)
      return kept
    })
    .filter((step) => step.length > 0)
    .toReversed()
}

/** The operations for each nonce, and those for each root. The value is then `v0 ^ v8 ^ FIRST_WORD`. */
export function hashSteps(): HashSteps {
  const recording = new Recording()
  for (let round = 0; round < ROUNDS; round++) {
    const words = SIGMA[round % SIGMA.length]!
    recording.mix(COLUMNS, words.slice(0, 8))
    recording.mix(DIAGONALS, words.slice(8))
  }
  const steps = keepNeeded(recording.steps)
  const operands = steps.flat().flatMap(({ left, right }) => [left, right])
  const constants = [...new Set(operands.filter(isConstant))]
  return {
    steps,
    constants,
    constantsOf(root) {
      const values: bigint[] = []
      for (const recipe of recording.recipes) values.push(recipe(values, root))
      return constants.map((constant) => values[constantIndex(constant)!]!)
    },
  }
}
