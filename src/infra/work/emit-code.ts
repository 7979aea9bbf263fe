import type { Operand } from './blake2b-steps.ts'
import type { Shape } from './shapes.ts'

/** Writes the operations of the hash for one kind of register. */
export interface Registers {
  /** Suffix of its variables' names. */
  suffix: string
  type: ValueType
  /** How many nonces are tried at once. */
  lanes: number
  /** Pushes the constant at an address onto the stack. */
  load(address: number): void
  /** Adds the two values on the stack. */
  add(): void
  /** Replaces the two values on the stack by their exclusive or, rotated to the right. */
  xorRotate(bits: number): void
  /** Declares its variables, and sets those that stay the same during the whole loop. */
  prepare(): void
  /** Sets its nonces to `start` and the following ones, plus `offset`. */
  startNonces(offset: number): void
  /** Advances its nonces. */
  skip(count: number): void
  /** Pushes one lane of a variable onto the stack, as a 64-bit integer. */
  getLane(name: Operand, lane: number): void
}

const WORDS = Array.from({ length: 16 }, (_, index) => `v${index}`)

export function scalarRegisters(code: FunctionCode): Registers {
  return {
    suffix: 'Scalar',
    type: TYPE.i64,
    lanes: 1,
    load: (address) => code.write(OP.i32Const, [0], OP.i64Load, unsigned(address)),
    add: () => code.write(OP.i64Add),
    xorRotate: (bits) => code.write(OP.i64Xor, OP.i64Const, signed(BigInt(bits)), OP.i64RotateRight),
    prepare() {
      for (const name of ['nonce', ...WORDS]) code.declare(`${name}Scalar`, TYPE.i64)
    },
    startNonces(offset) {
      code.get('start')
      code.write(OP.i64Const, signed(BigInt(offset)), OP.i64Add)
      code.set('nonceScalar')
    },
    skip(count) {
      code.get('nonceScalar')
      code.write(OP.i64Const, signed(BigInt(count)), OP.i64Add)
      code.set('nonceScalar')
    },
    getLane: (name) => code.get(`${name}Scalar`),
  }
}

/** For each byte, the byte it comes from when both lanes are rotated right by so many bits. */
function rotatedBytes(bits: number): number[] {
  return Array.from({ length: 16 }, (_, index) => (index & 8) | ((index + bits / 8) & 7))
}

/*
 * WebAssembly has no rotation of vectors, and the cost of a substitute depends on V8. A swizzle with its order of bytes
 * in a variable is one instruction on arm64 and x64. A shuffle would build that order again at each use, except for 32
 * bits, where it is one instruction. The order is a constant, because loading it from memory would cost x64 an
 * additional saturating addition each time.
 */
export function vectorRegisters(code: FunctionCode, join: Shape['join']): Registers {
  const rotate: Record<number, () => void> = {
    32: () => {
      code.tee('mixedVector')
      code.get('mixedVector')
      code.write(OP.shuffleBytes, rotatedBytes(32))
    },
    24: () => {
      code.get('order24')
      code.write(OP.swizzleBytes)
    },
    16: () => {
      code.get('order16')
      code.write(OP.swizzleBytes)
    },
    63: () => {
      code.tee('mixedVector')
      code.get('mixedVector')
      code.write(OP.i64x2Add)
      code.get('mixedVector')
      code.write(OP.i32Const, [63], OP.i64x2ShiftRightUnsigned, join === 'add' ? OP.i64x2Add : OP.v128Or)
    },
  }
  return {
    suffix: 'Vector',
    type: TYPE.v128,
    lanes: 2,
    load: (address) => code.write(OP.i32Const, [0], OP.v128Load, unsigned(address)),
    add: () => code.write(OP.i64x2Add),
    xorRotate(bits) {
      code.write(OP.v128Xor)
      rotate[bits]!()
    },
    prepare() {
      for (const name of ['nonce', 'mixed', ...WORDS]) code.declare(`${name}Vector`, TYPE.v128)
      for (const bits of [24, 16]) {
        code.declare(`order${bits}`, TYPE.v128)
        code.write(OP.v128Const, rotatedBytes(bits))
        code.set(`order${bits}`)
      }
    },
    startNonces(offset) {
      code.get('start')
      code.write(OP.i64Const, signed(BigInt(offset)), OP.i64Add, OP.i64x2Splat)
      code.get('start')
      code.write(OP.i64Const, signed(BigInt(offset + 1)), OP.i64Add, OP.i64x2ReplaceLane, [1])
      code.set('nonceVector')
    },
    skip(count) {
      code.get('nonceVector')
      code.write(OP.i64Const, signed(BigInt(count)), OP.i64x2Splat, OP.i64x2Add)
      code.set('nonceVector')
    },
    getLane(name, lane) {
      code.get(`${name}Vector`)
      code.write(OP.i64x2ExtractLane, [lane])
    },
  }
}

/** WebAssembly's codes for the types of values that a search uses. */
export const TYPE = { i32: 0x7f, i64: 0x7e, v128: 0x7b } as const
type ValueType = (typeof TYPE)[keyof typeof TYPE]

/** The instructions of a search, as the bytes that encode them. */
export const OP = {
  loop: [0x03, 0x40],
  if: [0x04, 0x40],
  end: [0x0b],
  branchIf: [0x0d],
  return: [0x0f],
  get: [0x20],
  set: [0x21],
  tee: [0x22],
  i32Load: [0x28, 2],
  i64Load: [0x29, 3],
  i64Store: [0x37, 3],
  i32Const: [0x41],
  i64Const: [0x42],
  i32GreaterSigned: [0x4a],
  i64GreaterEqualUnsigned: [0x5a],
  i32Subtract: [0x6b],
  i64Add: [0x7c],
  i64Xor: [0x85],
  i64RotateRight: [0x8a],
  v128Load: [0xfd, 0, 4],
  v128Const: [0xfd, 12],
  v128Or: [0xfd, 80],
  v128Xor: [0xfd, 81],
  shuffleBytes: [0xfd, 13],
  swizzleBytes: [0xfd, 14],
  i64x2Splat: [0xfd, 18],
  i64x2ExtractLane: [0xfd, 29],
  i64x2ReplaceLane: [0xfd, 30],
  i64x2ShiftRightUnsigned: [0xfd, 205, 1],
  i64x2Add: [0xfd, 206, 1],
} as const

/** Encodes a size or an index for WebAssembly: seven bits per byte, the lowest first. */
export function unsigned(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest > 127) {
    bytes.push((rest & 127) | 128)
    rest >>>= 7
  }
  return [...bytes, rest]
}

/** Encodes a constant for WebAssembly: like `unsigned`, but bit 6 of the last byte is the sign. */
export function signed(value: bigint): number[] {
  const bytes: number[] = []
  let rest = BigInt.asIntN(64, value)
  while (rest > 63n || rest < -64n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  return [...bytes, Number(rest & 127n)]
}

/** A function that is being written: its instructions, and its parameters and variables by name. */
export class FunctionCode {
  readonly #bytes: number[] = []
  readonly #parameters: number
  readonly #indexes = new Map<string, number>()
  readonly #types: ValueType[] = []

  constructor(parameters: readonly string[]) {
    for (const name of parameters) this.#indexes.set(name, this.#indexes.size)
    this.#parameters = parameters.length
  }

  declare(name: string, type: ValueType): void {
    this.#indexes.set(name, this.#parameters + this.#types.length)
    this.#types.push(type)
  }

  write(...parts: readonly (readonly number[])[]): void {
    for (const part of parts) for (const byte of part) this.#bytes.push(byte)
  }

  get(name: string): void {
    this.write(OP.get, this.#index(name))
  }

  set(name: string): void {
    this.write(OP.set, this.#index(name))
  }

  /** Sets a variable and keeps the value on the stack. */
  tee(name: string): void {
    this.write(OP.tee, this.#index(name))
  }

  #index(name: string): number[] {
    const index = this.#indexes.get(name)
    if (index === undefined) throw new Error(`No variable ${name}`)
    return unsigned(index)
  }

  toBytes(): number[] {
    const variables = this.#types.flatMap((type) => [1, type])
    const body = [...unsigned(this.#types.length), ...variables, ...this.#bytes, ...OP.end]
    return [...unsigned(body.length), ...body]
  }
}
