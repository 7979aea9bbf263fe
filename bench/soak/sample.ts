import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { familyMicroseconds, residentMegabytes } from '../kit/machine.ts'
import { quantile } from '../kit/load.ts'

/** The state of a gateway at one moment. */
export interface Sample {
  seconds: number
  residentMegabytes: number
  heapMegabytes: number
  handles: number
  threads: number
  lagMilliseconds: number
  p99Milliseconds: number
  storeMegabytes: number
  processorSeconds: number
}

export const COLUMNS: readonly (keyof Sample)[] = [
  'seconds',
  'residentMegabytes',
  'heapMegabytes',
  'handles',
  'threads',
  'lagMilliseconds',
  'p99Milliseconds',
  'storeMegabytes',
  'processorSeconds',
]

interface Watched {
  pid: number
  folder: string
  metricsUrl: string
}

export async function takeSample(
  { pid, folder, metricsUrl }: Watched,
  seconds: number,
  times: number[],
): Promise<Sample> {
  const metrics = await (await fetch(metricsUrl)).text()
  const gauge = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(metrics)?.[1] ?? NaN)
  const files = readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    seconds: Math.round(seconds),
    residentMegabytes: residentMegabytes([pid]),
    heapMegabytes: gauge('nodejs_heap_size_used_bytes') / 2 ** 20,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    threads: Number(/Threads:\s+(\d+)/.exec(status)?.[1]),
    lagMilliseconds: gauge('nodejs_eventloop_lag_p99_seconds') * 1_000,
    p99Milliseconds: quantile(times, 0.99),
    storeMegabytes: files.reduce((sum, size) => sum + size, 0) / 2 ** 20,
    processorSeconds: familyMicroseconds(pid) / 1e6,
  }
}

export const toLine = (sample: Sample) => COLUMNS.map((name) => Number(sample[name].toFixed(2))).join(',')

/** Reads a table written earlier. */
export function readSamples(table: string): Sample[] {
  const [, ...lines] = table.trim().split('\n')
  return lines.map((line) => {
    const values = line.split(',').map(Number)
    return Object.fromEntries(COLUMNS.map((name, at) => [name, values[at]!])) as Record<keyof Sample, number>
  })
}
