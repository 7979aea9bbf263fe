/*
 * The short form, for every check: each operation and its baseline are measured in short turns and compared with the ratio in bench/figures.json. An
 * operation that looks too expensive is measured again, and fails only if the last try is too expensive too. Stores are kept in memory where possible,
 * because on a quiet disk fewer operations share a commit.
 */
import { existsSync } from 'node:fs'
import { type Figures, readMeasurements, toTable } from '../kit/report.ts'
import { type Row, ratioOf } from './row.ts'

/** The factor by which a ratio may exceed the stored one. */
const SLACK = 1.5
const IN_MEMORY = '/dev/shm'
/**
 * The short form has its own figures, because it warms up less than the long one, and one set for each processor architecture. Without stored figures
 * nothing is compared.
 */
export const KEPT_AS = `check-${process.arch}`

const knownAs = (key: string) => readMeasurements()[KEPT_AS]?.figures[`${key}Ratio`]

export function keepInMemory(): void {
  if (existsSync(IN_MEMORY)) process.env.TMPDIR = IN_MEMORY
}

/** True if the ratio is worse than the stored one. Ratios are compared, not times, because machines differ in speed. */
export function isDear(key: string, ratio: number): boolean {
  const known = knownAs(key)
  return known !== undefined && ratio > known * SLACK
}

/** One sentence for each operation that was still too expensive after the last try. */
export const listDearer = (rows: readonly Row[]): string[] =>
  rows
    .filter((row) => isDear(row.key, ratioOf(row) ?? 0))
    .map((row) => {
      const times = `${ratioOf(row)!.toFixed(2)} times its baseline, and was ${knownAs(row.key)!.toFixed(2)} times`
      return `DEARER: ${row.operation} (${row.store}) costs ${times}: more than ${SLACK} times worse.`
    })

export const tellCompared = (rows: readonly Row[]): string =>
  toTable(
    ['operation', 'store', 'baseline', 'times', 'known'],
    rows.map((row) => [
      row.operation,
      row.store,
      row.yardstick?.name ?? '–',
      ratioOf(row)?.toFixed(2) ?? '–',
      knownAs(row.key)?.toFixed(2) ?? '–',
    ]),
  )

/**
 * The figures to store: for each operation the worse of the stored ratio and the new one. After a few runs on quiet and busy machines this is the normal
 * maximum. To accept an improvement, delete the operation's line from the figures.
 */
export const toKnown = (rows: readonly Row[]): Figures =>
  Object.fromEntries(
    rows.flatMap((row) => (row.yardstick ? [[`${row.key}Ratio`, Math.max(ratioOf(row)!, knownAs(row.key) ?? 0)]] : [])),
  )
