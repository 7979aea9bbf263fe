/** A device as its driver describes it. */
export interface FoundDevice {
  library: 'cuda' | 'opencl'
  /** Where the driver has it. */
  index: number
  name: string
  /** Processors have an OpenCL driver too, and it makes better code than WebAssembly allows. */
  kind: 'card' | 'cpu'
}

/** A piece of a search: from `start` on, so many rounds. */
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
  /** A nonce that reaches the threshold, of those tried. Several launches may be under way, each in a slot of its own. */
  run(slot: number, launch: Launch): Promise<bigint | undefined>
  /** Ends what runs in a slot, soon; the driver of some devices only lets it come to its end. */
  stop(slot: number): void
}

export interface OpenDevice {
  /** How long a launch may take. One that can be stopped may be longer; a card that drives a screen must not be held for long. */
  launchSeconds: number
  /** Seconds it has worked. A processor has other things to do as well, so that only its own time shows how fast it is. */
  seconds(): number
  /** Every form of the search there is; what the driver does not compile is left out. */
  kernels(): Kernel[]
}

/** Launches that a device is given at once: while one runs, the next one is there already. */
export const SLOTS = 2
