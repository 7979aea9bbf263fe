/** A device as its driver describes it. */
export interface FoundDevice {
  library: 'cuda' | 'opencl'
  index: number
  name: string
  /** A processor may have an OpenCL driver, too, whose code is faster than WebAssembly. */
  kind: 'card' | 'cpu'
}

/** A part of a search: `rounds` rounds from `start` on. */
export interface Launch {
  /** The four words of the root. */
  root: readonly bigint[]
  start: bigint
  rounds: number
  threshold: bigint
}

/** One variant of the search, compiled for a device. */
export interface Kernel {
  shape: string
  /** Nonces tried in one round. */
  width: number
  /**
   * Returns a nonce that reaches the threshold, if it finds one. Several launches may run at once, each in its own
   * slot.
   */
  run(slot: number, launch: Launch): Promise<bigint | undefined>
  /** Ends the launch in a slot soon; with some drivers it still runs to its end. */
  stop(slot: number): void
}

export interface OpenDevice {
  /**
   * How long a launch should take: longer if it can be stopped. A card that also drives a screen must not be blocked
   * for long.
   */
  launchSeconds: number
  /** Seconds of work. A processor also does other work, so only its own time shows its speed. */
  seconds(): number
  /** Every variant of the search that the driver can compile. */
  kernels(): Kernel[]
}

/** Launches that a device has at once: while one runs, the next is ready. */
export const SLOTS = 2
