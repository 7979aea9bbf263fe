import { readMeasurements } from '../kit/report.ts'
import { type Group, type Row, ratioOf } from './row.ts'

/** A ratio may be so many times that of the repository before it counts as worse. */
const SLACK = 1.5

const knownOf = ({ key }: Row) => readMeasurements().cost?.figures[`${key}Ratio`]

/** What became dearer, by the ratio to a yardstick of the same run: no two machines are equally fast. */
export function listDearer(rows: readonly Row[]): Row[] {
  return rows.filter((row) => {
    const [ratio, known] = [ratioOf(row), knownOf(row)]
    return ratio !== undefined && known !== undefined && ratio > known * SLACK
  })
}

export const groupOf = ({ group }: Row): Group => group

/** Of rows that were measured twice, the cheaper one. */
export function takeCheaper(rows: readonly Row[], again: readonly Row[]): Row[] {
  return rows.map((row) => {
    const other = again.find(({ key }) => key === row.key)
    return other !== undefined && ratioOf(other)! < ratioOf(row)! ? other : row
  })
}

export function tellDearer(row: Row): string {
  const times = `${ratioOf(row)!.toFixed(2)} times its yardstick, and was ${knownOf(row)!.toFixed(2)} times`
  return `DEARER: ${row.operation} (${row.store}) costs ${times}; more than ${SLACK} times worse, twice in one run.`
}
