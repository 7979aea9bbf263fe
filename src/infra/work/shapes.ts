/** A form of the search loop. All find the same nonces; which one is fastest depends on the processor and on V8. */
export interface Shape {
  name: string
  /** Whether two nonces are tried at once in vector registers. */
  vector: boolean
  /** Whether one nonce is tried in integer registers, which work in parallel with the vector ones. */
  scalar: boolean
  /** How many steps of one kind of register are written before those of the other. */
  group: number
  /** After how many steps a barrier fixes the order of instructions; zero leaves it to the compiler. */
  barrierEvery: number
  /** How the two parts of a vector rotated by 63 bits are joined; both give the same result. */
  join: 'or' | 'add'
}

/*
 * The hybrids are fastest on arm64, which has plenty of both kinds of register. Without barriers, older V8 versions write all vector
 * instructions first and all integer ones after them, so that they no longer run in parallel. Newer
 * versions keep the order, and make one instruction of a shift and an addition. On x64 there are too few registers for
 * both kinds, and vectors alone are fastest. Without vector instructions the last one remains.
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
