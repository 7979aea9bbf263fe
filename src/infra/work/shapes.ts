/** A variant of the search loop. All find the same nonces; which is fastest depends on the processor and on V8. */
export interface Shape {
  name: string
  /** Whether two nonces are tried at once in vector registers. */
  vector: boolean
  /** Whether one nonce is also tried in integer registers, in parallel with the vector registers. */
  scalar: boolean
  /** How many steps for one kind of register are written before those for the other. */
  group: number
  /** After how many steps a barrier fixes the order of instructions; zero leaves the order to the compiler. */
  barrierEvery: number
  /** How the two parts of a vector that is rotated by 63 bits are combined; both give the same result. */
  join: 'or' | 'add'
}

/*
 * Variants with both kinds of registers are fastest on arm64, which has many of each. Without barriers, older versions
 * of V8 put all vector instructions before all integer ones, so that they no longer run in parallel. Newer versions
 * keep the order, and combine a shift and an addition into one instruction. x64 has too few registers for both kinds,
 * so vectors alone are fastest there. The last variant is for machines without vector instructions.
 */
export const SHAPES: readonly Shape[] = [
  { name: 'hybrid-pinned', vector: true, scalar: true, group: 1, barrierEvery: 4, join: 'or' },
  { name: 'hybrid', vector: true, scalar: true, group: 2, barrierEvery: 0, join: 'add' },
  { name: 'vector', vector: true, scalar: false, group: 1, barrierEvery: 0, join: 'or' },
  { name: 'scalar', vector: false, scalar: true, group: 1, barrierEvery: 0, join: 'or' },
]

export function lanesOf({ vector, scalar }: Shape): number {
  return (vector ? 2 : 0) + (scalar ? 1 : 0)
}
