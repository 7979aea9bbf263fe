/** A device as its driver describes it. */
export interface FoundDevice {
  library: 'cuda' | 'opencl'
  /** Its index in the driver. */
  index: number
  name: string
  /** Processors may have an OpenCL driver too, which makes faster code than WebAssembly. */
  kind: 'card' | 'cpu'
}

/** A part of a search: so many rounds from `start` on. */
export interface Launch {
  /** The four words of the root. */
  root: readonly bigint[]
  start: bigint
  rounds: number
  threshold: bigint
}

/** One form of the search, compiled for a device. */
export interface Kernel {
  shape: string
  /** Nonces tried in one round. */
  width: number
  /** A tried nonce that reaches the threshold. Several launches may run, each in a slot of its own. */
  run(slot: number, launch: Launch): Promise<bigint | undefined>
  /** Ends the launch in a slot soon; some drivers only let it run to its end. */
  stop(slot: number): void
}

export interface OpenDevice {
  /** How long a launch may take. Longer if it can be stopped; a card that drives a screen must not be blocked for long. */
  launchSeconds: number
  /** Seconds that it has worked. A processor does other work as well, so only its own time shows its speed. */
  seconds(): number
  /** Every form of the search; those that the driver does not compile are left out. */
  kernels(): Kernel[]
}

/** Launches that a device gets at once: while one runs, the next one is ready. */
export const SLOTS = 2
