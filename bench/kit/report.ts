import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export type Figures = Record<string, number>

/** Results of a bench: tables for readers, figures for the capacity model. */
export interface Report {
  tables: string[]
  figures: Figures
  /** True if a result exceeds its limit. */
  failed?: boolean
}

interface Measured {
  /** ISO date and time. */
  at: string
  long: boolean
  machine: string
  figures: Figures
}

const pathTo = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
const FIGURES = pathTo('bench/figures.json')
const DOCUMENT = pathTo('docs/performance.md')

export type Measurements = Record<string, Measured>

export function readMeasurements(): Measurements {
  return existsSync(FIGURES) ? (JSON.parse(readFileSync(FIGURES, 'utf8')) as Measurements) : {}
}

/** Merges a bench's new figures into the file. Figures that it did not measure stay. */
export function writeFigures(
  name: string,
  { figures }: Pick<Report, 'figures'>,
  about: Omit<Measured, 'figures'>,
): void {
  const rounded = Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, Number(value.toPrecision(4))]))
  const all: Measurements = {
    ...readMeasurements(),
    [name]: { ...about, figures: { ...readMeasurements()[name]?.figures, ...rounded } },
  }
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(FIGURES, `${JSON.stringify(sorted, null, 2)}\n`)
}

/** Writes the figures to their file and the tables to the document. */
export function writeReport(name: string, report: Report, about: Omit<Measured, 'figures'>): void {
  writeFigures(name, report, about)
  const command = `npm run bench -- ${name}${about.long ? ' --long' : ''} --write`
  const origin = `\`${command}\`, ${about.at.slice(0, 16).replace('T', ' ')} UTC; ${about.machine}.`
  writeBetween(DOCUMENT, name, [origin, ...report.tables].join('\n\n'))
}

/** Replaces the text between a pair of markers in a document. */
export function writeBetween(file: string, name: string, text: string): void {
  const [begin, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`]
  const document = readFileSync(file, 'utf8')
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has no place for ${name}: ${begin} … ${end}`)
  writeFileSync(file, `${document.slice(0, from + begin.length)}\n${text}\n${document.slice(to)}`)
}

/** A Markdown table. All columns but the first are numbers. */
export function toTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|---|${'---:|'.repeat(head.length - 1)}`, ...rows.map(line)].join('\n')
}

const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** Rounds to the significant digits. */
export function show(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 100) return GROUPED.format(value)
  return Math.abs(value) >= 10 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 1 ? 1 : 2)
}

export const STORE_NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const
