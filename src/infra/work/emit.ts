import { FIRST_WORD, type HashSteps, type Operand, type Operation } from './blake2b-steps.ts'
import {
  FunctionCode,
  OP,
  type Registers,
  TYPE,
  scalarRegisters,
  signed,
  unsigned,
  vectorRegisters,
} from './emit-code.ts'
import { type Shape, lanesOf } from './shapes.ts'

/*
 * Writes the WebAssembly module of a search, byte by byte: no compiler is needed, and no binary is in the repository.
 *
 *   search(start: i64, count: i32, threshold: i64) → i32
 *
 * tries `count` nonces from `start` on, a multiple of the shape's lanes, and stops at the first that reaches the
 * threshold: then it returns 1, and the nonce is in memory at `nonceAddress`. The constants of the root are written to
 * memory before, each twice in a row, so that a vector of two lanes is one load.
 */
const CONSTANT_BYTES = 16
/** Constants that are used more often stay in registers; any other would take a register that the state needs. */
const RELOADS_MAX = 4

export const constantAddress = (index: number): number => index * CONSTANT_BYTES
export const nonceAddress = (hash: HashSteps): number => constantAddress(hash.constants.length)
/** Address of a word that is always zero, which the compiler does not know. */
const zeroAddress = (hash: HashSteps): number => nonceAddress(hash) + 8

class SearchFunction {
  readonly #hash: HashSteps
  readonly #shape: Shape
  readonly #code = new FunctionCode(['start', 'count', 'threshold'])
  readonly #kinds: Registers[] = []
  readonly #kept: ReadonlySet<Operand>

  constructor(hash: HashSteps, shape: Shape) {
    this.#hash = hash
    this.#shape = shape
    if (shape.vector) this.#kinds.push(vectorRegisters(this.#code, shape.join))
    if (shape.scalar) this.#kinds.push(scalarRegisters(this.#code))
    const operands = hash.steps.flat().flatMap(({ left, right }) => [left, right])
    const uses = (constant: Operand) => operands.filter((operand) => operand === constant).length
    this.#kept = new Set(hash.constants.filter((constant) => uses(constant) > RELOADS_MAX))
  }

  toBytes(): number[] {
    this.#writePreparation()
    this.#code.write(OP.loop)
    this.#writeHash()
    this.#writeComparison()
    this.#writeAdvance()
    this.#code.write(OP.end, OP.i32Const, [0])
    return this.#code.toBytes()
  }

  #writePreparation(): void {
    const code = this.#code
    let offset = 0
    for (const kind of this.#kinds) {
      kind.prepare()
      kind.startNonces(offset)
      offset += kind.lanes
      for (const constant of this.#kept) {
        code.declare(constant + kind.suffix, kind.type)
        kind.load(constantAddress(this.#hash.constants.indexOf(constant)))
        code.set(constant + kind.suffix)
      }
    }
    code.declare('zero', TYPE.i32)
    code.write(OP.i32Const, [0], OP.i32Load, unsigned(zeroAddress(this.#hash)))
    code.set('zero')
  }

  #writeHash(): void {
    const { steps } = this.#hash
    const { group, barrierEvery } = this.#shape
    const written = new Set<Operand>()
    let sinceBarrier = 0
    for (let first = 0; first < steps.length; first += group) {
      const operations = steps.slice(first, first + group).flat()
      for (const kind of this.#kinds) for (const operation of operations) this.#writeOperation(kind, operation)
      for (const { to } of operations) written.add(to)
      sinceBarrier += group
      // Until all words of the state exist, there is no order to preserve.
      if (barrierEvery === 0 || sinceBarrier < barrierEvery || written.size < 16) continue
      this.#writeBarrier(written)
      sinceBarrier = 0
    }
  }

  #writeOperation(kind: Registers, { kind: what, to, left, right, bits }: Operation): void {
    this.#getOperand(kind, left)
    this.#getOperand(kind, right)
    if (what === 'add') kind.add()
    else kind.xorRotate(bits)
    this.#code.set(to + kind.suffix)
  }

  #getOperand(kind: Registers, operand: Operand): void {
    const index = this.#hash.constants.indexOf(operand)
    if (index < 0 || this.#kept.has(operand)) this.#code.get(operand + kind.suffix)
    else kind.load(constantAddress(index))
  }

  /**
   * A branch that is never taken, but that could change every word as far as the compiler knows. So it moves no
   * instruction across.
   */
  #writeBarrier(words: ReadonlySet<Operand>): void {
    const code = this.#code
    code.get('zero')
    code.write(OP.if)
    for (const kind of this.#kinds) {
      for (const word of words) {
        code.get(word + kind.suffix)
        code.get(word + kind.suffix)
        kind.add()
        code.set(word + kind.suffix)
      }
    }
    code.write(OP.end)
  }

  #writeComparison(): void {
    const code = this.#code
    for (const kind of this.#kinds) {
      for (let lane = 0; lane < kind.lanes; lane++) {
        kind.getLane('v0', lane)
        kind.getLane('v8', lane)
        code.write(OP.i64Xor, OP.i64Const, signed(FIRST_WORD), OP.i64Xor)
        code.get('threshold')
        code.write(OP.i64GreaterEqualUnsigned, OP.if, OP.i32Const, [0])
        kind.getLane('nonce', lane)
        code.write(OP.i64Store, unsigned(nonceAddress(this.#hash)), OP.i32Const, [1], OP.return, OP.end)
      }
    }
  }

  #writeAdvance(): void {
    const code = this.#code
    const lanes = lanesOf(this.#shape)
    for (const kind of this.#kinds) kind.skip(lanes)
    code.get('count')
    code.write(OP.i32Const, [lanes], OP.i32Subtract)
    code.tee('count')
    code.write(OP.i32Const, [0], OP.i32GreaterSigned, OP.branchIf, [0])
  }
}

const section = (id: number, content: readonly number[]) => [id, ...unsigned(content.length), ...content]
const text = (value: string) => [value.length, ...new TextEncoder().encode(value)]

export function emitModule(hash: HashSteps, shape: Shape): Uint8Array {
  const search = new SearchFunction(hash, shape).toBytes()
  return Uint8Array.from([
    ...[0x00, ...new TextEncoder().encode('asm'), 1, 0, 0, 0],
    // One function type: three parameters, one result.
    ...section(1, [1, 0x60, 3, TYPE.i64, TYPE.i32, TYPE.i64, 1, TYPE.i32]),
    ...section(3, [1, 0]),
    // One memory with a single page, which cannot grow.
    ...section(5, [1, 1, 1, 1]),
    ...section(7, [2, ...text('memory'), 2, 0, ...text('search'), 0, 0]),
    ...section(10, [1, ...search]),
  ])
}
