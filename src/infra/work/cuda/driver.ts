import { type HashSteps, hashSteps } from '../blake2b-steps.ts'
import { type FoundDevice, type Kernel, type Launch, type OpenDevice, SLOTS } from '../card/device.ts'
import {
  type Call,
  type Handle,
  type Library,
  check,
  long,
  openLibrary,
  textIn,
  waited,
  word,
} from '../card/library.ts'
import { CUDA_SHAPES, type CudaShape, RESULT_BYTES, cudaConstants, emitPtx } from './emit.ts'

const LIBRARIES = ['libcuda.so.1', 'nvcuda.dll']
/** Shorter than the time for which a card that drives a screen may be blocked; a cancelled search ends even sooner. */
const LAUNCH_SECONDS = 0.04
/** Threads that one multiprocessor of the card runs at once. */
const UNIT_THREADS = 1_024

/** Constants of the CUDA interface. */
const CUDA = { multiprocessors: 16, waitAsleep: 4, apart: 1 } as const

const FUNCTIONS = {
  init: 'int cuInit(uint)',
  count: 'int cuDeviceGetCount(_Out_ int *)',
  device: 'int cuDeviceGet(_Out_ int *, int)',
  name: 'int cuDeviceGetName(void *, int, int)',
  attribute: 'int cuDeviceGetAttribute(_Out_ int *, int, int)',
  setFlags: 'int cuDevicePrimaryCtxSetFlags_v2(int, uint)',
  retain: 'int cuDevicePrimaryCtxRetain(_Out_ void **, int)',
  setCurrent: 'int cuCtxSetCurrent(void *)',
  loadModule: 'int cuModuleLoadData(_Out_ void **, str)',
  getFunction: 'int cuModuleGetFunction(_Out_ void **, void *, str)',
  createStream: 'int cuStreamCreate(_Out_ void **, uint)',
  allocate: 'int cuMemAlloc_v2(_Out_ uint64 *, size_t)',
  allocateHost: 'int cuMemAllocHost_v2(_Out_ void **, size_t)',
  fill: 'int cuMemsetD32Async(uint64, uint, size_t, void *)',
  copyBack: 'int cuMemcpyDtoHAsync_v2(void *, uint64, size_t, void *)',
  launch: 'int cuLaunchKernel(void *, uint, uint, uint, uint, uint, uint, uint, void *, void **, void **)',
  wait: 'int cuStreamSynchronize(void *)',
} as const

type Cuda = Library<keyof typeof FUNCTIONS>

/** Returns the value that a call writes to its first parameter. */
function made(call: Call, ...parameters: unknown[]): Handle {
  const out: [Handle] = [null]
  check(call(out, ...parameters))
  return out[0]
}

/** A driver may be installed without a card, or may not match its kernel module. */
function load(): Cuda | undefined {
  const cuda = openLibrary(LIBRARIES, FUNCTIONS)
  return cuda?.call.init(0) === 0 ? cuda : undefined
}

function nameOf({ call }: Cuda, device: number): string {
  const bytes = Buffer.alloc(256)
  check(call.name(bytes, bytes.length, device))
  return textIn(bytes)
}

export function listCuda(): FoundDevice[] {
  const cuda = load()
  if (!cuda) return []
  const count = Number(made(cuda.call.count))
  return Array.from({ length: count }, (_, index) => {
    const device = Number(made(cuda.call.device, index))
    return { library: 'cuda', index, name: nameOf(cuda, device), kind: 'card' }
  })
}

export async function openCuda(index: number): Promise<OpenDevice> {
  const cuda = load()
  if (!cuda) throw new Error('There is no driver for cards of NVIDIA.')
  const { call } = cuda
  const device = Number(made(call.device, index))
  // Threads that wait for the card sleep instead of polling.
  check(call.setFlags(device, CUDA.waitAsleep))
  const context = made(call.retain, device)
  check(call.setCurrent(context))
  // The thread that waits for the card also needs the context. There is only one, because `cardProcess` starts the
  // process that way.
  await waited(call.setCurrent, context)
  const units = Number(made(call.attribute, CUDA.multiprocessors, device))
  const hash = hashSteps()
  const stopStream = made(call.createStream, CUDA.apart)
  const slots = Array.from({ length: SLOTS }, () => openSlot(cuda, hash, stopStream))
  return {
    launchSeconds: LAUNCH_SECONDS,
    seconds: () => performance.now() / 1000,
    kernels: () => CUDA_SHAPES.flatMap((shape) => compile({ cuda, hash, units, slots }, shape) ?? []),
  }
}

interface Opened {
  cuda: Cuda
  hash: HashSteps
  units: number
  slots: readonly Slot[]
}

function compile({ cuda, hash, units, slots }: Opened, shape: CudaShape): Kernel | undefined {
  const module: [Handle] = [null]
  // An older card or driver lacks some instructions.
  if (cuda.call.loadModule(module, emitPtx(hash, shape)) !== 0) return undefined
  const search = made(cuda.call.getFunction, module[0], 'search')
  const blocks = units * (UNIT_THREADS / shape.threads)
  const { threads, name } = shape
  return {
    shape: name,
    width: blocks * threads,
    run: (slot, launch) => slots[slot]!.run({ search, blocks, threads }, launch),
    stop: (slot) => slots[slot]!.stop(),
  }
}

interface Slot {
  run(kernel: { search: Handle; blocks: number; threads: number }, launch: Launch): Promise<bigint | undefined>
  stop(): void
}

function openSlot({ koffi, call }: Cuda, hash: HashSteps, stopStream: Handle): Slot {
  const stream = made(call.createStream, CUDA.apart)
  // Koffi returns a small address as a number, a large one as a bigint.
  const result = BigInt(made(call.allocate, RESULT_BYTES) as bigint | number)
  const copy = made(call.allocateHost, RESULT_BYTES)
  const found = new DataView(koffi.view(copy, RESULT_BYTES))
  check(call.fill(result, 0, RESULT_BYTES / 4, stream))
  return {
    async run({ search, blocks, threads }, { root, start, rounds, threshold }) {
      const parameters = [
        cudaConstants(hash, root),
        long(start),
        long(BigInt(blocks * threads)),
        word(rounds),
        long(threshold),
        long(result),
      ]
      check(call.launch(search, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, null))
      check(call.copyBack(copy, result, RESULT_BYTES, stream))
      // Cleared after the launch, because clearing it before could undo a stop that arrives now.
      check(call.fill(result, 0, RESULT_BYTES / 4, stream))
      await waited(call.wait, stream)
      return found.getUint32(4, true) > 0 ? found.getBigUint64(8, true) : undefined
    },
    stop: () => check(call.fill(result, 1, 1, stopStream)),
  }
}
