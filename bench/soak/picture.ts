import { colour, drawFrame, round } from '../kit/picture.ts'
import type { Sample } from './sample.ts'

const WIDTH = 960
const LEFT = 64
const TOP = 84
const PANEL = { width: 400, height: 190 }
const GAP = { x: 72, y: 84 }
const LINES = 4

/** A panel: its unit, and the columns with their labels. */
const PANELS: readonly { unit: string; columns: readonly (readonly [keyof Sample, string])[] }[] = [
  {
    unit: 'memory, MB',
    columns: [
      ['residentMegabytes', 'resident'],
      ['heapMegabytes', 'heap in use'],
    ],
  },
  {
    unit: 'handles and threads',
    columns: [
      ['handles', 'open handles'],
      ['threads', 'threads'],
    ],
  },
  { unit: 'files of store and ledger, MB', columns: [['storeMegabytes', 'all files']] },
  {
    unit: 'milliseconds',
    columns: [
      ['p99Milliseconds', 'p99 of all answers'],
      ['lagMilliseconds', 'p99 of the event loop'],
    ],
  },
]

/** Draws the samples over time. */
export function drawSoak(samples: readonly Sample[]): string {
  const minutes = (samples.at(-1)?.seconds ?? 60) / 60
  const parts = PANELS.map(({ unit, columns }, at) => {
    const left = LEFT + (at % 2) * (PANEL.width + GAP.x)
    const top = TOP + Math.floor(at / 2) * (PANEL.height + GAP.y)
    const values = samples.flatMap((sample) => columns.map(([column]) => sample[column]))
    const step = niceStep(Math.max(...values.filter(Number.isFinite), 1) / LINES)
    const most = step * LINES
    const x = (minute: number) => round(left + (minute / minutes) * PANEL.width)
    const y = (value: number) => round(top + PANEL.height - (value / most) * PANEL.height)
    const grid = Array.from({ length: LINES + 1 }, (_, line) => {
      const [height, place] = [y(line * step), x((minutes * line) / LINES)]
      return `<line class="grid" x1="${left}" x2="${left + PANEL.width}" y1="${height}" y2="${height}"/><text x="${left - 8}" y="${height + 4}" text-anchor="end">${(line * step).toLocaleString('en')}</text><text x="${place}" y="${top + PANEL.height + 20}" text-anchor="middle">${round((minutes * line) / LINES)}</text>`
    })
    const drawn = columns.map(([column], kind) => {
      const points = samples.filter((sample) => Number.isFinite(sample[column]))
      const path = points.map((sample) => `${x(sample.seconds / 60)},${y(sample[column])}`).join(' ')
      return `<polyline points="${path}" fill="none" stroke="${colour(kind)}" stroke-width="1.5"/>`
    })
    const names = columns.map(([, name], kind) => {
      const place = left + 170 + kind * 110
      return `<line x1="${place}" x2="${place + 16}" y1="${top - 16}" y2="${top - 16}" stroke="${colour(kind)}" stroke-width="3"/><text x="${place + 22}" y="${top - 12}" font-size="11">${name}</text>`
    })
    const title = `<text class="title" x="${left}" y="${top - 12}" font-size="13">${unit}</text>`
    return [title, ...names, ...grid, ...drawn].join('\n')
  })
  return drawFrame({
    width: WIDTH,
    height: TOP + 2 * PANEL.height + GAP.y + 44,
    left: LEFT,
    label: 'Memory, handles, files and lateness of a gateway over the minutes of a long run',
    title: `One gateway under mixed load, over ${round(minutes)} minutes`,
    parts,
  })
}

/** The smallest step of 1, 2 or 5 times a power of ten that is at least `wished`. */
function niceStep(wished: number): number {
  const power = 10 ** Math.floor(Math.log10(wished))
  return [1, 2, 2.5, 5, 10].map((times) => times * power).find((step) => step >= wished)!
}
