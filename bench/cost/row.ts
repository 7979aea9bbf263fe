import type { Spent } from '../kit/gateway.ts'
import { show, toTable } from '../kit/report.ts'

/** Groups of rows by the word of `--only`, in the order of the table. */
export const GROUPS = [
  'reads',
  'hearing',
  'checkouts',
  'webhooks',
  'sends',
  'blocks',
  'report',
  'life',
  'traces',
] as const
export type Group = (typeof GROUPS)[number]

/** What one operation costs, beside the least a program can do that does something of the kind in the same run. */
export interface Row {
  /** Its name in the figures. */
  key: string
  group: Group
  operation: string
  store: 'SQLite' | 'PostgreSQL' | '–'
  cost: Spent
  unit: 'µs' | 'ms' | '%' | 'MB' | 's'
  yardstick?: Yardstick
  goal: Goal
}

export interface Yardstick {
  name: string
  cost: number
}

/** At most so many times the baseline, or at most so much: of both together, or of the gateway and the database apart. */
export type Goal = { times: number } | { gateway: number; database?: number }

const LEAST_DIGITS = 3
const digits = (value: number) => (value < 100 ? Number(value.toPrecision(LEAST_DIGITS)).toString() : show(value))

export const ratioOf = ({ cost, yardstick }: Row) =>
  yardstick === undefined ? undefined : (cost.gateway + cost.database) / yardstick.cost

export function isMet(row: Row): boolean {
  const { cost, goal } = row
  if ('times' in goal) return ratioOf(row)! <= goal.times
  if (goal.database === undefined) return cost.gateway + cost.database <= goal.gateway
  return cost.gateway <= goal.gateway && cost.database <= goal.database
}

/** In thousandths where that reads better: microseconds are what is measured, milliseconds are what people think in. */
const inUnit = (value: number, unit: Row['unit']) => (unit === 'ms' ? value / 1_000 : value)

function showCost({ gateway, database }: Spent, unit: Row['unit']): string {
  const parts = [gateway, ...(database > 0 ? [database] : [])].map((part) => digits(inUnit(part, unit)))
  return `${parts.join(' + ')} ${unit}`
}

function showGoal({ goal, unit }: Row): string {
  if ('times' in goal) return `≤ ${goal.times} ×`
  return `≤ ${showCost({ gateway: goal.gateway, database: goal.database ?? 0 }, unit)}`
}

export function tellRows(rows: readonly Row[]): string {
  const head = ['operation', 'store', 'cost', 'baseline', 'times', 'goal', 'met']
  const cells = rows.map((row) => [
    row.operation,
    row.store,
    showCost(row.cost, row.unit),
    row.yardstick === undefined
      ? '–'
      : `${row.yardstick.name} ${showCost({ gateway: row.yardstick.cost, database: 0 }, row.unit)}`,
    ratioOf(row)?.toFixed(2) ?? '–',
    showGoal(row),
    isMet(row) ? 'yes' : 'no',
  ])
  return toTable(head, cells)
}

/** How often to measure, and whether what came out should not be believed at once. */
export interface Patience {
  turns: number
  /** Whether a ratio is so much worse than known that the operation is measured again before anybody is told. */
  isDear(key: string, ratio: number): boolean
}

const TRIES = 4

/**
 * Turns of an operation and of its baseline, one after the other, and of each the cheapest: whatever else the machine does
 * makes a turn dearer and never cheaper. What looks too dear gets more turns.
 */
export async function inTurns(
  { turns, isDear }: Patience,
  key: string,
  operate: () => Promise<Spent>,
  yardstick: () => Promise<number>,
): Promise<{ cost: Spent; yardstick: Omit<Yardstick, 'name'> }> {
  const [costs, yardsticks]: [Spent[], number[]] = [[], []]
  for (let tries = 1; ; tries++) {
    for (let turn = 0; turn < turns; turn++) {
      yardsticks.push(await yardstick())
      costs.push(await operate())
    }
    const [cost, bare] = [cheapest(costs), Math.min(...yardsticks)]
    const ratio = wholeOf(cost) / bare
    if (tries === TRIES || !isDear(key, ratio)) return { cost, yardstick: { cost: bare } }
    console.log(`${key}: ${ratio.toFixed(2)} times its baseline; once more`)
  }
}

const wholeOf = ({ gateway, database }: Spent) => gateway + database

export function cheapest(costs: readonly Spent[]): Spent {
  return costs.reduce((least, cost) => (wholeOf(cost) < wholeOf(least) ? cost : least))
}

/** What was spent between two moments, for each of so many operations. */
export const each = (before: Spent, after: Spent, count: number): Spent => ({
  gateway: (after.gateway - before.gateway) / count,
  database: (after.database - before.database) / count,
})
