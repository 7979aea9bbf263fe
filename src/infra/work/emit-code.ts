/** WebAssembly's names for the kinds of value a search uses. */
export const TYPE = { i32: 0x7f, i64: 0x7e, v128: 0x7b } as const
export type ValueType = (typeof TYPE)[keyof typeof TYPE]

/** The instructions a search is made of, as the bytes that stand for them. */
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

/** A number as WebAssembly writes sizes and indexes: seven bits to a byte, the lowest first. */
export function unsigned(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest > 127) {
    bytes.push((rest & 127) | 128)
    rest >>>= 7
  }
  return [...bytes, rest]
}

/** A number as WebAssembly writes constants: like `unsigned`, where the last byte's bit 6 is the sign. */
export function signed(value: bigint): number[] {
  const bytes: number[] = []
  let rest = BigInt.asIntN(64, value)
  while (rest > 63n || rest < -64n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  return [...bytes, Number(rest & 127n)]
}

/** A function being written: its instructions, and its parameters and variables by name. */
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

  /** Sets and keeps the value at hand. */
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
