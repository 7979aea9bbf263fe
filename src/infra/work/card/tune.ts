import { formatWork, workValue } from '../../../kernel/nano/work.ts'
import { rootWords } from '../searcher.ts'
import type { Kernel, OpenDevice } from './device.ts'

/** The device, with its fastest variant of the search. */
export interface TunedKernel {
  kernel: Kernel
  /** Hashes per second. */
  rate: number
  /** Rounds of one launch. */
  rounds: number
  shapes: readonly MeasuredShape[]
}

export interface MeasuredShape {
  shape: string
  /** Zero if this variant gives wrong results. */
  rate: number
}

const KNOWN = { root: '718CC2121C3E641059BC1C2CFC45666C99E8AE922F7A807B7D07B62C995D79E2', nonce: 0x2bf29ef00786a6bcn }
const UNREACHABLE = 2n ** 64n - 1n
const ROUNDS_MAX = 2 ** 30

/** Whether a known nonce is found with exactly its threshold and not with a higher one, at both ends of a round. */
async function knowsTheAnswer(kernel: Kernel): Promise<boolean> {
  const root = rootWords(KNOWN.root)
  const value = workValue(KNOWN.root, formatWork(KNOWN.nonce))
  for (const offset of [0, 1, kernel.width - 1]) {
    const start = KNOWN.nonce - BigInt(offset)
    if ((await kernel.run(0, { root, start, rounds: 1, threshold: value })) !== KNOWN.nonce) return false
    if ((await kernel.run(0, { root, start, rounds: 1, threshold: value + 1n })) !== undefined) return false
  }
  return true
}

/** Hashes per second, measured with launches that grow until one takes `seconds`. */
async function measure(kernel: Kernel, device: OpenDevice, seconds: number): Promise<number> {
  const root = rootWords(KNOWN.root)
  let rounds = 1
  for (;;) {
    const started = device.seconds()
    await kernel.run(0, { root, start: 0n, rounds, threshold: UNREACHABLE })
    const took = Math.max(1e-6, device.seconds() - started)
    const rate = (kernel.width * rounds) / took
    if (took >= seconds || rounds === ROUNDS_MAX) return rate
    rounds = Math.min(ROUNDS_MAX, Math.ceil(rounds * Math.min(8, Math.max(1.5, (seconds * 1.2) / took))))
  }
}

/** Measures every variant of the search that gives right results on this device. */
export async function tuneDevice(device: OpenDevice, seconds: number): Promise<TunedKernel> {
  const shapes: MeasuredShape[] = []
  let best: { kernel: Kernel; rate: number } | undefined
  for (const kernel of device.kernels()) {
    const rate = (await knowsTheAnswer(kernel)) ? await measure(kernel, device, seconds) : 0
    shapes.push({ shape: kernel.shape, rate })
    if (rate > (best?.rate ?? 0)) best = { kernel, rate }
  }
  if (!best) throw new Error('No form of the search gives right answers on it.')
  const rounds = Math.max(1, Math.round((best.rate * device.launchSeconds) / best.kernel.width))
  return { ...best, rounds, shapes }
}
