/*
 * Measures proof of work on this machine: hashes a second on one core for each code variant and for two other libraries;
 * how soon the engine answers, stops and changes jobs; then every source, GPUs included. Run it as `npm run bench -- work`;
 * it takes about a minute.
 *
 * The other libraries are under the GPL: they are downloaded into a temporary folder for the comparison and are not part of
 * this project. Without a network they are left out. All run in turns, a slice of processor time each, and ratios are
 * formed within a turn, so that other load on the machine slows all of them alike.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { printWorkBench } from '../src/cli/work-bench.ts'
import { systemRandom } from '../src/infra/random.ts'
import { type CpuEngine, openCpuEngine } from '../src/infra/work/cpu.ts'
import { listOpenCl, openOpenCl } from '../src/infra/work/opencl/driver.ts'
import { openSearcher, rootWords } from '../src/infra/work/searcher.ts'
import { SHAPES } from '../src/infra/work/shapes.ts'
import { emitCandidates } from '../src/infra/work/tune.ts'
import { webAssembly } from '../src/infra/work/web-assembly.ts'
import { bytesToHex } from '../src/kernel/nano/hex.ts'
import { WORK_THRESHOLDS, workValue } from '../src/kernel/nano/work.ts'

const TURNS = 9
const SLICE_MICROSECONDS = 400_000
/** Found after 262,144 hashes on average, so a call is short compared with a slice. */
const BENCH_THRESHOLD = 0xffffc00000000000n
const UNREACHABLE = 2n ** 64n - 1n
const NANO_POW = 'nano-pow@5.1.9'
const NANOCURRENCY = 'nanocurrency@2.5.0'

interface Contender {
  name: string
  /** Searches for a moment and returns how many nonces were tried. */
  run(): number | Promise<number>
  /** Processor time used, of this thread by default. */
  spent?(): number
}

const newRoot = () => bytesToHex(systemRandom.bytes(32))
const never = new AbortController().signal
const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!
const median = (values: readonly number[]) => quantile(values, 0.5)

/** Processor time of this thread; Node 20 only has that of the whole process. */
function processorMicroseconds(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
  return user + system
}

function ownContenders(): Contender[] {
  return emitCandidates(SHAPES).map(({ shape, lanes, bytes }) => {
    const searcher = openSearcher(new webAssembly!.Module(bytes))
    searcher.setRoot(rootWords(newRoot()))
    const count = 10_000 * lanes
    let start = 0n
    return {
      name: shape,
      run() {
        searcher.search((start += BigInt(count)), count, UNREACHABLE)
        return count
      },
    }
  })
}

/** The CPU through its OpenCL driver, which uses its own threads. */
function openClContenders(): Contender[] {
  const processor = listOpenCl().find(({ kind }) => kind === 'cpu')
  if (!processor) return []
  const root = rootWords(newRoot())
  return openOpenCl(processor.index)
    .kernels()
    .map((kernel) => {
      const rounds = Math.ceil(500_000 / kernel.width)
      let start = 0n
      return {
        name: `OpenCL, ${kernel.shape}`,
        async run() {
          await kernel.run(0, { root, start: (start += BigInt(kernel.width * rounds)), rounds, threshold: UNREACHABLE })
          return kernel.width * rounds
        },
        spent() {
          const { user, system } = process.cpuUsage()
          return user + system
        },
      }
    })
}

/** Runs the package's WebAssembly as the package does, without its threads. */
function nanoPow(folder: string): Contender {
  const source = readFileSync(join(folder, 'node_modules/nano-pow/dist/main.min.js'), 'utf8')
  const bytes = Buffer.from(/"(AGFzb[A-Za-z0-9+/=]{1000,})"/.exec(source)![1]!, 'base64')
  const { main } = new webAssembly!.Instance(new webAssembly!.Module(bytes)).exports as {
    main(seed: bigint, ...rootAndThreshold: bigint[]): bigint
  }
  return {
    name: NANO_POW,
    run() {
      const seed = Buffer.from(systemRandom.bytes(8)).readBigUInt64LE() & ~0xffffffn
      const root = newRoot()
      const nonce = BigInt.asUintN(64, main(seed, ...rootWords(root), BENCH_THRESHOLD))
      // It tries two nonces and skips the third, as its results show.
      const offset = Number(nonce - seed)
      return Math.floor(offset / 3) * 2 + (offset % 3) + 1
    },
  }
}

function nanocurrency(folder: string): Contender {
  const { computeWork } = createRequire(join(folder, 'index.js'))('nanocurrency') as {
    computeWork(root: string, options: { workThreshold: string }): Promise<string>
  }
  return {
    name: NANOCURRENCY,
    // It starts at nonce zero.
    run: async () =>
      Number(BigInt(`0x${await computeWork(newRoot(), { workThreshold: BENCH_THRESHOLD.toString(16) })}`)) + 1,
  }
}

function fetchContenders(folder: string): Contender[] {
  try {
    const options = ['--no-save', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--prefix', folder]
    execFileSync('npm', ['install', ...options, NANO_POW, NANOCURRENCY], { stdio: 'pipe' })
    return [nanoPow(folder), nanocurrency(folder)]
  } catch (error) {
    console.log(`The other libraries could not be fetched and are left out: ${String(error).split('\n')[0]}`)
    return []
  }
}

/** Millions of hashes per second of processor time. */
async function timeSlice({ run, spent = processorMicroseconds }: Contender): Promise<number> {
  const started = spent()
  let hashes = 0
  let elapsed = 0
  while (elapsed < SLICE_MICROSECONDS) {
    hashes += await run()
    elapsed = spent() - started
  }
  return hashes / elapsed
}

async function benchCores(contenders: readonly Contender[]): Promise<void> {
  const rates = new Map(contenders.map(({ name }) => [name, [] as number[]]))
  // The first turn is warm-up.
  for (let turn = 0; turn <= TURNS; turn++) {
    for (const contender of contenders) {
      const rate = await timeSlice(contender)
      if (turn > 0) rates.get(contender.name)!.push(rate)
    }
  }
  const reference = rates.get(NANO_POW)
  console.log(`\n| search, one core | MH/s | against ${NANO_POW} |\n|---|---|---|`)
  for (const [name, all] of rates) {
    const ratio = reference ? median(all.map((rate, turn) => rate / reference[turn]!)).toFixed(2) : '–'
    console.log(`| ${name} | ${median(all).toFixed(2)} | ${ratio} |`)
  }
}

async function timeSearches(engine: CpuEngine, threshold: bigint, count: number): Promise<number[]> {
  const times: number[] = []
  for (let done = 0; done < count; done++) {
    const root = newRoot()
    const started = performance.now()
    await engine.search({ root, threshold }, never)
    times.push(performance.now() - started)
  }
  return times
}

/** Milliseconds from stopping a search until the next, easy one is done. */
async function timeChanges(engine: CpuEngine, count: number): Promise<number[]> {
  const times: number[] = []
  for (let done = 0; done < count; done++) {
    const stop = new AbortController()
    const stopped = engine.search({ root: newRoot(), threshold: UNREACHABLE }, stop.signal)
    await delay(5 + (done % 5))
    const started = performance.now()
    stop.abort()
    await stopped
    await engine.search({ root: newRoot(), threshold: WORK_THRESHOLDS.dev.send }, never)
    times.push(performance.now() - started)
  }
  return times
}

/** 99th percentile of how late a one-millisecond timer fires. */
async function loopDelay(): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  await delay(3_000)
  delays.disable()
  return delays.percentile(99) / 1e6
}

async function whileSearching<T>(engine: CpuEngine, measure: () => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const search = engine.search({ root: newRoot(), threshold: UNREACHABLE }, stop.signal)
  const result = await measure()
  stop.abort()
  await search
  return result
}

async function countInvalid(engine: CpuEngine, count: number): Promise<number> {
  let invalid = 0
  for (let done = 0; done < count; done++) {
    const root = newRoot()
    const threshold = done % 2 === 0 ? WORK_THRESHOLDS.dev.send : WORK_THRESHOLDS.dev.receive
    const work = await engine.search({ root, threshold }, never)
    if (work === undefined || workValue(root, work) < threshold) invalid++
  }
  return invalid
}

async function benchEngine(): Promise<void> {
  const threads = availableParallelism()
  const opening = performance.now()
  const engine = await openCpuEngine({ threads, random: systemRandom })
  const opened = performance.now() - opening
  await timeSearches(engine, 0n, 500)
  const dispatch = await timeSearches(engine, 0n, 3_000)
  const sends = await timeSearches(engine, WORK_THRESHOLDS.dev.send, 3_000)
  const changes = await timeChanges(engine, 300)
  const idle = await loopDelay()
  const busy = await whileSearching(engine, loopDelay)
  const { rate } = engine
  const invalid = await countInvalid(engine, 10_000)
  await engine.close()
  const rows: [string, string][] = [
    ['shape chosen', engine.shape],
    ['opened after', `${opened.toFixed(0)} ms`],
    [`rate of ${threads} threads`, `${(rate / 1e6).toFixed(1)} MH/s`],
    [
      'start to answer, first nonce fits, p50 / p95',
      `${median(dispatch).toFixed(3)} / ${quantile(dispatch, 0.95).toFixed(3)} ms`,
    ],
    ['start to answer, dev send, p50 / p95', `${median(sends).toFixed(3)} / ${quantile(sends, 0.95).toFixed(3)} ms`],
    ['stop to the next answer, p50 / most', `${median(changes).toFixed(2)} / ${Math.max(...changes).toFixed(2)} ms`],
    ['event loop p99, idle / all threads searching', `${idle.toFixed(2)} / ${busy.toFixed(2)} ms`],
    ['invalid works of 10,000', String(invalid)],
  ]
  console.log('\n| engine | |\n|---|---|')
  for (const [what, value] of rows) console.log(`| ${what} | ${value} |`)
}

console.log(
  `${process.arch}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}`,
)
const folder = mkdtempSync(join(tmpdir(), 'bench-work-'))
try {
  await benchCores([...ownContenders(), ...openClContenders(), ...fetchContenders(folder)])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
await benchEngine()
await printWorkBench({ workThreads: availableParallelism(), workCards: undefined })
