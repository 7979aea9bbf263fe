/** A form of the search on a card of NVIDIA. All find the same nonces; which one is fastest depends on the card. */
export interface CudaShape {
  name: string
  /** Which rotations are done by multiplying: none, those by whole bytes, and half of those by 63 bits as well. */
  rotations: 'plain' | 'dot' | 'dot63'
  /** Threads in a block. Large blocks march together, so that they find their instructions in the cache. */
  threads: number
}

const ROTATIONS = ['plain', 'dot', 'dot63'] as const
const THREADS = [256, 512, 1024] as const

export const CUDA_SHAPES: readonly CudaShape[] = ROTATIONS.flatMap((rotations) =>
  THREADS.map((threads) => ({ name: `${rotations}-${threads}`, rotations, threads })),
)
