import { FIRST_WORD, type HashSteps, type Operation, hashSteps } from '../blake2b-steps.ts'
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

const LIBRARIES = ['libOpenCL.so.1', 'OpenCL.dll', '/System/Library/Frameworks/OpenCL.framework/OpenCL']
/** Short, because a launch cannot be stopped. */
const LAUNCH_SECONDS = 0.004
const GROUP_ITEMS = 64
/** Work items per unit of a device. A card hides latency with many; a processor needs enough to fill its lanes. */
const UNIT_ITEMS = { card: 2_048, cpu: 256 }
const RESULT_BYTES = 16

/** Constants of the OpenCL interface. */
const CL = {
  allDevices: 0xffffffffn,
  typeCpu: 2n,
  platformName: 0x0902,
  deviceType: 0x1000,
  computeUnits: 0x1002,
  deviceName: 0x102b,
  readOnlyCopied: 4n | 32n,
  readWrite: 1n,
} as const

const FUNCTIONS = {
  getPlatforms: 'int clGetPlatformIDs(uint, void *, void *)',
  platformInfo: 'int clGetPlatformInfo(void *, uint, size_t, void *, void *)',
  getDevices: 'int clGetDeviceIDs(void *, uint64, uint, void *, void *)',
  deviceInfo: 'int clGetDeviceInfo(void *, uint, size_t, void *, void *)',
  createContext: 'void *clCreateContext(void *, uint, void *, void *, void *, void *)',
  createQueue: 'void *clCreateCommandQueue(void *, void *, uint64, void *)',
  createProgram: 'void *clCreateProgramWithSource(void *, uint, void *, void *, void *)',
  build: 'int clBuildProgram(void *, uint, void *, str, void *, void *)',
  createKernel: 'void *clCreateKernel(void *, str, void *)',
  createBuffer: 'void *clCreateBuffer(void *, uint64, size_t, void *, void *)',
  setArgument: 'int clSetKernelArg(void *, uint, size_t, void *)',
  enqueue: 'int clEnqueueNDRangeKernel(void *, void *, uint, void *, void *, void *, uint, void *, void *)',
  read: 'int clEnqueueReadBuffer(void *, void *, uint, size_t, size_t, void *, uint, void *, void *)',
  write: 'int clEnqueueWriteBuffer(void *, void *, uint, size_t, size_t, void *, uint, void *, void *)',
} as const

type Cl = Library<keyof typeof FUNCTIONS>

interface Located extends FoundDevice {
  platform: string
  handle: Handle
}

/** The handles that a call returns; a first call asks how many there are. */
function listHandles({ koffi }: Cl, ask: (capacity: number, into: Buffer | null, count: Buffer) => unknown): Handle[] {
  const count = Buffer.alloc(4)
  // A system without any platform returns an error code.
  if (ask(0, null, count) !== 0) return []
  const size = count.readUInt32LE()
  const into = Buffer.alloc(8 * size)
  check(ask(size, into, count))
  return Array.from({ length: size }, (_, index) => koffi.decode(into, 8 * index, 'void *') as Handle)
}

function textOf(call: Call, handle: Handle, what: number): string {
  const bytes = Buffer.alloc(256)
  check(call(handle, what, bytes.length, bytes, null))
  return textIn(bytes)
}

function numberOf(call: Call, handle: Handle, what: number): bigint {
  const bytes = Buffer.alloc(8)
  check(call(handle, what, bytes.length, bytes, null))
  return bytes.readBigUInt64LE()
}

function locate(cl: Cl): Located[] {
  const { getPlatforms, platformInfo, getDevices, deviceInfo } = cl.call
  const platforms = listHandles(cl, (capacity, into, count) => getPlatforms(capacity, into, count))
  const devices = platforms.flatMap((platform) => {
    const name = textOf(platformInfo, platform, CL.platformName)
    const handles = listHandles(cl, (capacity, into, count) =>
      getDevices(platform, CL.allDevices, capacity, into, count),
    )
    return handles.map((handle) => ({ platform: name, handle }))
  })
  return devices.map(({ platform, handle }, index) => ({
    library: 'opencl',
    index,
    platform,
    handle,
    name: textOf(deviceInfo, handle, CL.deviceName),
    kind: numberOf(deviceInfo, handle, CL.deviceType) & CL.typeCpu ? 'cpu' : 'card',
  }))
}

/** All devices of all platforms except NVIDIA's cards, for which their own driver is used. */
export function listOpenCl(): FoundDevice[] {
  const cl = openLibrary(LIBRARIES, FUNCTIONS)
  if (!cl) return []
  return locate(cl)
    .filter(({ platform }) => !platform.startsWith('NVIDIA'))
    .map(({ library, index, name, kind }) => ({ library, index, name, kind }))
}

export function openOpenCl(index: number): OpenDevice {
  const cl = openLibrary(LIBRARIES, FUNCTIONS)
  const device = cl && locate(cl)[index]
  if (!device) throw new Error(`There is no OpenCL device ${index}.`)
  const list = Buffer.alloc(8)
  cl.koffi.encode(list, 'void *', device.handle)
  const context = cl.call.createContext(null, 1, list, null, null, null)
  const queue = context && cl.call.createQueue(context, device.handle, 0n, null)
  if (!queue) throw new Error('The device could not be opened.')
  const units = Number(numberOf(cl.call.deviceInfo, device.handle, CL.computeUnits) & 0xffffffffn)
  const items = units * UNIT_ITEMS[device.kind]
  const opened: Opened = { cl, list, context, queue, items, hash: hashSteps() }
  return {
    launchSeconds: LAUNCH_SECONDS,
    seconds: () => (device.kind === 'cpu' ? processorSeconds() / units : performance.now() / 1000),
    kernels: () => LANES.flatMap((lanes) => compile(opened, lanes) ?? []),
  }
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

interface Opened {
  cl: Cl
  /** A list that contains only this device. */
  list: Buffer
  context: Handle
  queue: Handle
  items: number
  hash: HashSteps
}

function compile(opened: Opened, lanes: number): Kernel | undefined {
  const { cl, list, context, hash, items } = opened
  const { koffi, call } = cl
  const source = Buffer.from(`${emitOpenCl(hash, lanes)}\0`)
  const sources = koffi.alloc('void *', 1) as Handle
  koffi.encode(sources, 'void *', koffi.as(source, 'void *'))
  const program = call.createProgram(context, 1, sources, null, null)
  if (!program || call.build(program, 1, list, '', null, null) !== 0) return undefined
  const slots = Array.from({ length: SLOTS }, () => openSlot(opened, program))
  return {
    shape: `${lanes} ${lanes === 1 ? 'lane' : 'lanes'}`,
    width: items * lanes,
    run: (slot, launch) => slots[slot]!(launch, lanes),
    stop: () => undefined,
  }
}

/** A kernel with its own buffers, so that launches do not overwrite each other's data. */
function openSlot({ cl, context, queue, items, hash }: Opened, program: Handle) {
  const { koffi, call } = cl
  const kernel = call.createKernel(program, 'search', null)
  const empty = Buffer.alloc(RESULT_BYTES)
  const bytes = Buffer.alloc(RESULT_BYTES)
  const result = call.createBuffer(context, CL.readWrite, RESULT_BYTES, null, null)
  const constants = Buffer.alloc(8 * hash.constants.length)
  const onDevice = call.createBuffer(context, CL.readOnlyCopied, constants.length, constants, null)
  const pointerTo = (handle: Handle) => {
    const pointer = Buffer.alloc(8)
    koffi.encode(pointer, 'void *', handle)
    return pointer
  }
  const resultPointer = pointerTo(result)
  const constantsPointer = pointerTo(onDevice)
  const [globalSize, groupSize] = [long(BigInt(items)), long(BigInt(GROUP_ITEMS))]
  return async ({ root, start, rounds, threshold }: Launch, lanes: number): Promise<bigint | undefined> => {
    hash.constantsOf(root).forEach((value, index) => constants.writeBigUInt64LE(value, 8 * index))
    check(call.write(queue, onDevice, 0, 0, constants.length, constants, 0, null, null))
    check(call.write(queue, result, 0, 0, RESULT_BYTES, empty, 0, null, null))
    const parameters = [
      constantsPointer,
      long(start),
      long(BigInt(items * lanes)),
      word(rounds),
      long(threshold),
      resultPointer,
    ]
    parameters.forEach((value, index) => check(call.setArgument(kernel, index, value.length, value)))
    check(call.enqueue(queue, kernel, 1, null, globalSize, groupSize, 0, null, null))
    await waited(call.read, queue, result, 1, 0, RESULT_BYTES, bytes, 0, null, null)
    return bytes.readUInt32LE() > 0 ? bytes.readBigUInt64LE(8) : undefined
  }
}

/**
 * Nonces that one work item tries at once, in a vector. Cards are usually fastest with one, processors with as many as
 * fit into a register.
 */
export const LANES = [1, 2, 4, 8] as const

const WORDS = Array.from({ length: 16 }, (_, index) => `v${index}`)

/**
 * The search as OpenCL C, which the driver of a device compiles for it:
 *
 *   search(constants, start, stride, rounds, threshold, result)
 *
 * Every work item tries `rounds` nonces for each lane, `stride` apart. `result` is the number of finds and, eight bytes
 * further on, the nonce of the first of them.
 */
function emitOpenCl(hash: HashSteps, lanes: number): string {
  const type = lanes === 1 ? 'ulong' : `ulong${lanes}`
  const all = (value: string) => `(${type})(${value})`
  const line = ({ kind, to, left, right, bits }: Operation) =>
    kind === 'add' ? `${to} = ${left} + ${right};` : `${to} = rotate(${left} ^ ${right}, ${all(`${64 - bits}UL`)});`
  return `__kernel void search(__global const ulong *constants, ulong start, ulong stride, uint rounds, ulong threshold,
                     volatile __global uint *result) {
${hash.constants.map((name, index) => `const ${type} ${name} = ${all(`constants[${index}]`)};`).join('\n')}
${type} nonce = ${all(`start + (ulong)get_global_id(0) * ${lanes}UL`)} + ${firstNonces(type, lanes)};
${type} ${WORDS.join(', ')};
for (uint round = 0; round < rounds; round++) {
${hash.steps.flat().map(line).join('\n')}
const ${type} value = v0 ^ v8 ^ ${all(`0x${FIRST_WORD.toString(16)}UL`)};
${lanes === 1 ? oneLane : manyLanes(type, lanes)}
nonce += ${all('stride')};
}
}
`
}

const firstNonces = (type: string, lanes: number) =>
  `(${type})(${Array.from({ length: lanes }, (_, lane) => `${lane}UL`).join(', ')})`

const record = (nonce: string) => `if (atomic_inc(result) == 0) ((volatile __global ulong *)result)[1] = ${nonce};`

const oneLane = `if (value >= threshold) ${record('nonce')}`

const manyLanes = (type: string, lanes: number) => `if (any(value >= (${type})(threshold))) {
ulong values[${lanes}], nonces[${lanes}];
vstore${lanes}(value, 0, values);
vstore${lanes}(nonce, 0, nonces);
for (int lane = 0; lane < ${lanes}; lane++) if (values[lane] >= threshold) ${record('nonces[lane]')}
}`
