import { availableParallelism } from 'node:os'
import { systemClock } from '../infra/clock.ts'
import { systemRandom } from '../infra/random.ts'
import { openCards } from '../infra/work/card/open.ts'
import type { CardSource } from '../infra/work/card/source.ts'
import { openCpuEngine } from '../infra/work/cpu.ts'
import { WORK_THRESHOLDS, expectedHashes } from '../kernel/nano/work.ts'

interface Row {
  source: string
  shape: string
  rate: number
}

const { send, receive } = WORK_THRESHOLDS.live
const LONGEST_MILLISECONDS = 600_000

/** Measures every engine on this machine, in every variant, and prints the results. */
export async function printWorkBench(config: {
  workThreads: number | undefined
  workCards: readonly number[] | undefined
}): Promise<void> {
  const threads = config.workThreads ?? Math.max(1, availableParallelism() - 1)
  const rows: Row[] = []
  // Keeps the process alive: neither the threads nor the processes of graphics cards do that.
  const letGo = systemClock.after(LONGEST_MILLISECONDS, () => undefined)
  if (threads > 0) {
    const source = `cpu, ${threads} ${threads === 1 ? 'thread' : 'threads'}`
    progress(`${source}, WebAssembly …`)
    const engine = await openCpuEngine({ threads, random: systemRandom })
    rows.push(...engine.shapes.map((shape) => ({ source, ...shape })))
    await engine.close()
  }
  if (config.workCards?.length !== 0) {
    progress('looking for cards …')
    for (const source of await measuredCards(config.workCards, threads)) {
      rows.push(...source.shapes.map((shape) => ({ source: source.name, ...shape })))
      await source.close()
    }
  }
  letGo()
  progress('')
  print(rows)
}

async function measuredCards(cards: readonly number[] | undefined, threads: number): Promise<CardSource[]> {
  const found: CardSource[] = []
  const measured = new Map<string, PromiseWithResolvers<void>>()
  const settle = (name: string) => measured.get(name)?.resolve()
  await openCards({
    cards,
    threads,
    random: systemRandom,
    clock: systemClock,
    onFound(source) {
      found.push(source)
      measured.set(source.name, Promise.withResolvers())
    },
    onReady: ({ name }) => settle(name),
    onFailure({ engine, reason }) {
      console.error(`${engine}: ${reason}`)
      settle(engine)
    },
  })
  for (const { name } of found) {
    progress(`${name} …`)
    await measured.get(name)!.promise
  }
  return found
}

/** At a terminal, one line that is overwritten. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

function print(rows: readonly Row[]): void {
  const best = Math.max(...rows.map(({ rate }) => rate))
  const width = Math.max(8, ...rows.map(({ source }) => source.length))
  const line = (source: string, ...cells: string[]) =>
    console.log(`${source.padEnd(width)}  ${cells.map((cell) => cell.padStart(14)).join('')}`)
  line('source', 'variant', 'MH/s', 'send, s', 'receive, ms')
  for (const { source, shape, rate } of rows) {
    const seconds = (threshold: bigint) => expectedHashes(threshold) / rate
    const figures =
      rate === 0
        ? ['wrong answers', '', '']
        : [(rate / 1e6).toFixed(1), seconds(send).toFixed(3), (seconds(receive) * 1000).toFixed(1)]
    line(source, shape, ...figures, ...(rate === best ? ['  ← fastest'] : []))
  }
}
