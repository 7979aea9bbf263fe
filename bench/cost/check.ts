import { readMeasurements } from '../kit/report.ts'
import { type Row, ratioOf } from './row.ts'

/** A ratio may be so many times that of the repository before it counts as worse. */
const SLACK = 1.5

/** What became dearer, in words. Ratios to a yardstick of the same run, because no two machines are equally fast. */
export function compareWithFigures(rows: readonly Row[]): string[] {
  const figures = readMeasurements().cost?.figures ?? {}
  return rows.flatMap((row) => {
    const [ratio, known] = [ratioOf(row), figures[`${row.key}Ratio`]]
    if (ratio === undefined || known === undefined || ratio <= known * SLACK) return []
    const times = `${ratio.toFixed(2)} times its yardstick, and was ${known.toFixed(2)} times`
    return [`DEARER: ${row.operation} (${row.store}) costs ${times}; more than ${SLACK} times worse.`]
  })
}
