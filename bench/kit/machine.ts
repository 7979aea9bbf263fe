import { readFileSync, readdirSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

/** The kernel counts processor time in hundredths of a second on every machine we know. */
const TICK_MICROSECONDS = 10_000

/** Where a figure comes from, and how busy it was there. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() || 'unknown processor'
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  const load = loadavg()[0]!.toFixed(1)
  return `${process.arch}, ${availableParallelism()} × ${model}, ${memory}, Node ${process.version}; load average at the start ${load}`
}

function readStat(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of a program may hold anything; what follows its bracket does not.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** Processor time of processes so far, with all their threads, in microseconds. */
export function processorMicroseconds(pids: readonly number[]): number {
  let ticks = 0
  for (const pid of pids) {
    const stat = readStat(pid)
    if (stat) ticks += Number(stat[11]) + Number(stat[12])
  }
  return ticks * TICK_MICROSECONDS
}

/** The same for a process with all its children, those that have ended included. */
export function familyMicroseconds(parent: number): number {
  const own = readStat(parent)
  const ended = own ? Number(own[13]) + Number(own[14]) : 0
  const children = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && readStat(pid)?.[1] === String(parent))
  return processorMicroseconds([parent, ...children]) + ended * TICK_MICROSECONDS
}

export function residentMegabytes(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]))
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}
