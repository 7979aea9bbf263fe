import { readFileSync, readdirSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

/** Linux reports processor time in hundredths of a second on every machine we know. */
const TICK_MICROSECONDS = 10_000

/** The machine and its load, to be printed with the figures. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() || 'unknown processor'
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  const load = loadavg()[0]!.toFixed(1)
  return `${process.arch}, ${availableParallelism()} × ${model}, ${memory}, Node ${process.version}; load average at the start ${load}`
}

function readStat(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program's name may contain anything, but the fields after its bracket are fixed.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** Processor time of processes so far, all threads included, in microseconds. */
export function processorMicroseconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (threadMicroseconds(pid) ?? tickMicroseconds(pid)), 0)
}

/** From the scheduler's counter in nanoseconds, if the kernel has one. Ended threads are not included. */
function threadMicroseconds(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const spent = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]))
    return spent.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1_000
  } catch {
    return undefined
  }
}

function tickMicroseconds(pid: number): number {
  const stat = readStat(pid)
  return stat ? (Number(stat[11]) + Number(stat[12])) * TICK_MICROSECONDS : 0
}

/** The same for a process and all its children, ended ones included. */
export function familyMicroseconds(parent: number): number {
  const own = readStat(parent)
  const ended = own ? Number(own[13]) + Number(own[14]) : 0
  return processorMicroseconds(familyOf(parent)) + ended * TICK_MICROSECONDS
}

/** A process and its living children. */
export function familyOf(parent: number): number[] {
  const children = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && readStat(pid)?.[1] === String(parent))
  return [parent, ...children]
}

export function residentMegabytes(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]))
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}
