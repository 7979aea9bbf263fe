/*
 * The short form: each operation beside its yardstick, in many short turns, compared with the ratio that the repository knows.
 * Of the turns the middle ratio counts: two that follow one another have the same neighbours, and one that a neighbour made
 * dear is none in the middle. What is too dear is measured again, and only what was too dear each time fails.
 */
import { median } from '../kit/load.ts'
import { type Figures, readMeasurements } from '../kit/report.ts'
import type { Group, Row } from './row.ts'

/** A ratio may be so many times that of the repository before it counts as worse. */
const SLACK = 1.5
const TRIES = 4
/**
 * The figures of the short form are kept by themselves, because it warms up less than the long one, and by the kind of
 * processor. Where there are none, nothing is compared.
 */
export const KEPT_AS = `check-${process.arch}`
const TIMES_TO_KEEP = 3

type Measure = (groups: ReadonlySet<Group>) => Promise<Row[]>

const timesOf = ({ yardstick }: Row) => yardstick && median(yardstick.times)
const knownOf = ({ key }: Row) => readMeasurements()[KEPT_AS]?.figures[`${key}Ratio`]

/** What became dearer, by the ratio to a yardstick of the same run: no two machines are equally fast. */
function listDearer(rows: readonly Row[]): Row[] {
  return rows.filter((row) => {
    const [times, known] = [timesOf(row), knownOf(row)]
    return times !== undefined && known !== undefined && times > known * SLACK
  })
}

/** Of rows that were measured twice, the cheaper one. */
function takeCheaper(rows: readonly Row[], again: readonly Row[]): Row[] {
  return rows.map((row) => {
    const other = again.find(({ key }) => key === row.key)
    return other !== undefined && timesOf(other)! < timesOf(row)! ? other : row
  })
}

function tellDearer(row: Row): string {
  const times = `${timesOf(row)!.toFixed(2)} times its yardstick, and was ${knownOf(row)!.toFixed(2)} times`
  return `DEARER: ${row.operation} (${row.store}) costs ${times}; more than ${SLACK} times worse, ${TRIES} times in one run.`
}

/** Answers the rows, and a sentence for each that was too dear at every try. */
export async function compare(measure: Measure, wanted: ReadonlySet<Group>): Promise<{ rows: Row[]; words: string[] }> {
  let rows = await measure(wanted)
  for (let tries = 1, dearer = listDearer(rows); dearer.length > 0 && tries < TRIES; tries++) {
    console.log(`Once more: ${dearer.map(({ operation, store }) => `${operation} (${store})`).join('; ')}`)
    rows = takeCheaper(rows, await measure(new Set(dearer.map(({ group }) => group))))
    dearer = listDearer(rows)
  }
  return { rows, words: listDearer(rows).map(tellDearer) }
}

/** Figures that later runs are compared with. */
export const toKnown = (rows: readonly Row[]): Figures =>
  Object.fromEntries(rows.flatMap((row) => (row.yardstick ? [[`${row.key}Ratio`, timesOf(row)!]] : [])))

/** What later runs are compared with: of several the middle one. */
export async function measureToKeep(measure: Measure, wanted: ReadonlySet<Group>): Promise<Row[]> {
  const runs: Row[][] = []
  while (runs.length < TIMES_TO_KEEP) runs.push(await measure(wanted))
  return runs[0]!.map(({ key }) => {
    const same = runs.flatMap((rows) => rows.filter((row) => row.key === key))
    return same.toSorted((a, b) => (timesOf(a) ?? 0) - (timesOf(b) ?? 0))[Math.floor(TIMES_TO_KEEP / 2)]!
  })
}
