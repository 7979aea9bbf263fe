import { median } from '../kit/load.ts'
import { show, toTable } from '../kit/report.ts'
import type { Sample } from './sample.ts'

/** Skipped at the start, while caches fill and code is compiled. */
const WARM_SHARE = 0.1

interface Judged {
  column: keyof Sample
  name: string
  /** The maximum ratio of the second half to the first. Unset for values that depend on other load. */
  ratioMax?: number
}

const JUDGED: readonly Judged[] = [
  { column: 'residentMegabytes', name: 'resident memory, MB', ratioMax: 1.15 },
  { column: 'heapMegabytes', name: 'heap in use, MB', ratioMax: 1.25 },
  { column: 'handles', name: 'open handles', ratioMax: 1.1 },
  { column: 'threads', name: 'threads', ratioMax: 1 },
  { column: 'lagMilliseconds', name: 'p99 of the event loop, ms' },
  { column: 'p99Milliseconds', name: 'p99 of all answers, ms' },
]
/** The store may grow in proportion to the work done, but not faster. */
const GROWTH_RATIO_MAX = 1.3

/** Compares the second half with the first; `wrong` has what exceeds its maximum. */
export function judgeDrift(samples: readonly Sample[]): { table: string; wrong: string[] } {
  const warm = samples.slice(Math.floor(samples.length * WARM_SHARE))
  const middle = Math.floor(warm.length / 2)
  const halves = [warm.slice(0, middle), warm.slice(middle)] as const
  const wrong: string[] = []
  const rows = JUDGED.map(({ column, name, ratioMax }) => {
    const [first, second] = halves.map((half) => median(half.map((sample) => sample[column]))) as [number, number]
    const most = Math.max(...warm.map((sample) => sample[column]))
    if (ratioMax !== undefined && second > first * ratioMax) wrong.push(`${name}: ${show(first)}, then ${show(second)}`)
    return [name, show(first), show(second), show(most)]
  })
  const [before, after] = halves.map(growthOf) as [number, number]
  if (after > before * GROWTH_RATIO_MAX) wrong.push(`files grow by ${show(before)}, then by ${show(after)} MB an hour`)
  rows.push(['growth of the files, MB an hour', show(before), show(after), ''])
  return { table: toTable(['', 'first half, median', 'second half, median', 'most'], rows), wrong }
}

function growthOf(half: readonly Sample[]): number {
  const [first, last] = [half[0]!, half.at(-1)!]
  return ((last.storeMegabytes - first.storeMegabytes) / (last.seconds - first.seconds)) * 3_600
}
