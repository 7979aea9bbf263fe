import { colour, drawFrame, round } from './picture.ts'

export interface Line {
  store: string
  operation: string
  /** Pairs of rows in the store and milliseconds. */
  points: (readonly [number, number])[]
}

const WIDTH = 960
const PANEL_TOP = 88
const PANEL_HEIGHT = 330
const GAP = 56
const LEFT = 64
const LEGEND_TOP = PANEL_TOP + PANEL_HEIGHT + 58
/** Marks distinguish the lines for readers who do not see colours. */
const MARKS = ['circle', 'square', 'triangle', 'diamond', 'cross', 'ring'] as const
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** Milliseconds against rows, on logarithmic axes, one panel for each engine. A level line means that size does not matter. */
export function drawGrowth(lines: readonly Line[]): string {
  const stores = [...new Set(lines.map(({ store }) => store))]
  const operations = [...new Set(lines.map(({ operation }) => operation))]
  const all = lines.flatMap(({ points }) => points)
  const powers = (values: readonly number[]) => {
    const logs = values.map((value) => Math.log10(value))
    return {
      from: Math.floor(Math.min(...logs)),
      to: Math.max(Math.ceil(Math.max(...logs)), Math.floor(Math.min(...logs)) + 1),
    }
  }
  const rows = powers(all.map(([size]) => size))
  const times = powers(all.map(([, milliseconds]) => milliseconds))
  const width = (WIDTH - LEFT - 24 - GAP * (stores.length - 1)) / stores.length
  const legendRows = Math.ceil(operations.length / 3)
  const height = LEGEND_TOP + legendRows * 26 + 8
  const panels = stores.map((store, at) => {
    const left = LEFT + at * (width + GAP)
    const x = (size: number) => left + ((Math.log10(size) - rows.from) / (rows.to - rows.from)) * width
    const y = (milliseconds: number) =>
      PANEL_TOP + PANEL_HEIGHT - ((Math.log10(milliseconds) - times.from) / (times.to - times.from)) * PANEL_HEIGHT
    const grid = [
      ...span(times).map((power) => {
        const height = y(10 ** power)
        return `<line class="grid" x1="${left}" x2="${left + width}" y1="${height}" y2="${height}"/><text x="${left - 8}" y="${height + 4}" text-anchor="end">${label(power)}</text>`
      }),
      ...span(rows).map((power) => {
        const place = x(10 ** power)
        return `<line class="grid" x1="${place}" x2="${place}" y1="${PANEL_TOP}" y2="${PANEL_TOP + PANEL_HEIGHT}"/><text x="${place}" y="${PANEL_TOP + PANEL_HEIGHT + 20}" text-anchor="middle">10${SUPERSCRIPTS[power]}</text>`
      }),
    ]
    const drawn = lines
      .filter((line) => line.store === store)
      .map(({ operation, points }) => {
        const kind = operations.indexOf(operation)
        const places = points.map(([size, milliseconds]) => [round(x(size)), round(y(milliseconds))] as const)
        const path = places.map((place) => place.join(',')).join(' ')
        return `<polyline points="${path}" fill="none" stroke="${colour(kind)}" stroke-width="2"/>${places.map(([a, b]) => mark(kind, a, b)).join('')}`
      })
    const title = `<text class="title" x="${left}" y="${PANEL_TOP - 16}">${store}, median ms</text>`
    const axis = `<text x="${left + width / 2}" y="${PANEL_TOP + PANEL_HEIGHT + 40}" text-anchor="middle">checkouts in the store</text>`
    return [title, ...grid, ...drawn, axis].join('\n')
  })
  const legend = operations.map((operation, at) => {
    const left = LEFT + (at % 3) * 290
    const top = LEGEND_TOP + Math.floor(at / 3) * 26
    const sample = `<line x1="${left}" x2="${left + 28}" y1="${top}" y2="${top}" stroke="${colour(at)}" stroke-width="2"/>${mark(at, left + 14, top)}`
    return `${sample}<text x="${left + 38}" y="${top + 4}">${operation}</text>`
  })
  return drawFrame({
    width: WIDTH,
    height,
    left: LEFT,
    label: 'Time of each operation in stores of growing size',
    title: 'What an operation takes as the store grows',
    parts: [...panels, ...legend],
  })
}

const span = ({ from, to }: { from: number; to: number }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)
const label = (power: number) => (power >= 0 ? (10 ** power).toLocaleString('en') : (10 ** power).toFixed(-power))

function mark(kind: number, x: number, y: number): string {
  const fill = `fill="${colour(kind)}"`
  switch (MARKS[kind % MARKS.length]) {
    case 'circle':
      return `<circle cx="${x}" cy="${y}" r="4.5" ${fill}/>`
    case 'square':
      return `<rect x="${x - 4}" y="${y - 4}" width="8" height="8" ${fill}/>`
    case 'triangle':
      return `<path d="M${x} ${y - 5.5}l5.2 9h-10.4z" ${fill}/>`
    case 'diamond':
      return `<path d="M${x} ${y - 6}l5 6-5 6-5-6z" ${fill}/>`
    case 'cross':
      return `<path d="M${x - 4} ${y - 4}l8 8m0-8l-8 8" stroke="${colour(kind)}" stroke-width="2.5"/>`
    default:
      return `<circle cx="${x}" cy="${y}" r="4" fill="none" stroke="${colour(kind)}" stroke-width="2.5"/>`
  }
}
