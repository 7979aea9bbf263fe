import type { Operand } from './blake2b-steps.ts'
import { type FunctionCode, OP, TYPE, type ValueType, signed, unsigned } from './emit-code.ts'
import type { Shape } from './shapes.ts'

/** Writes the operations of the hash for one kind of register. */
export interface Registers {
  /** Ends the names of its variables. */
  suffix: string
  type: ValueType
  /** Nonces worked on at once. */
  lanes: number
  /** Puts the constant that lies at an address at hand. */
  load(address: number): void
  /** Adds the two values at hand. */
  add(): void
  /** Turns the two values at hand into their exclusive or, rotated right. */
  xorRotate(bits: number): void
  /** Declares its variables and sets those that keep through the whole loop. */
  prepare(): void
  /** Sets its nonces to the `start` parameter and those that follow, `offset` onwards. */
  startNonces(offset: number): void
  /** Moves its nonces on. */
  skip(count: number): void
  /** Puts one lane of a variable at hand, as a 64-bit integer. */
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

/** Where the bytes of both lanes come from when they are rotated right by so many bits. */
function rotatedBytes(bits: number): number[] {
  return Array.from({ length: 16 }, (_, index) => (index & 8) | ((index + bits / 8) & 7))
}

/*
 * There is no rotation of vectors, and V8 decides what a substitute costs. A swizzle whose order of bytes sits in a
 * variable is one instruction on arm64 and on x64; a shuffle would build that order anew at each use, except by 32,
 * where it is one instruction itself. Loading the order from memory instead of writing it as a constant costs x64 a
 * saturating addition each time.
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
