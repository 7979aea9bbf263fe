/*
 * The short form: each operation beside its baseline, in short turns, compared with the ratio that the repository knows. What
 * looks too dear is measured again at once, and only what is so after the last try fails. Stores lie in memory where the system
 * has such a folder: a disk is quicker on a quiet machine, and then fewer operations share a commit.
 */
import { existsSync } from 'node:fs'
import { type Figures, readMeasurements, toTable } from '../kit/report.ts'
import { type Row, ratioOf } from './row.ts'

/** A ratio may be so many times that of the repository before it counts as worse. */
const SLACK = 1.5
const IN_MEMORY = '/dev/shm'
/**
 * The figures of the short form are kept by themselves, because it warms up less than the long one, and by the kind of
 * processor. Where there are none, nothing is compared.
 */
export const KEPT_AS = `check-${process.arch}`

const knownAs = (key: string) => readMeasurements()[KEPT_AS]?.figures[`${key}Ratio`]

export function keepInMemory(): void {
  if (existsSync(IN_MEMORY)) process.env.TMPDIR = IN_MEMORY
}

/** Whether it became more expensive, by the ratio to a baseline of the same run: no two machines are equally fast. */
export function isDear(key: string, ratio: number): boolean {
  const known = knownAs(key)
  return known !== undefined && ratio > known * SLACK
}

/** A sentence for each that was too dear after the last try. */
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
 * Figures that later runs are compared with: what was known, or this where it is worse. So a few runs on a quiet and on a busy
 * machine find the most that is usual. What became cheaper is measured anew once its line is taken out of the figures.
 */
export const toKnown = (rows: readonly Row[]): Figures =>
  Object.fromEntries(
    rows.flatMap((row) => (row.yardstick ? [[`${row.key}Ratio`, Math.max(ratioOf(row)!, knownAs(row.key) ?? 0)]] : [])),
  )
