import type { Spent } from '../kit/gateway.ts'
import { show, toTable } from '../kit/report.ts'

/** Groups of rows, as `--only` names them, in the order of the table. */
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

/** The cost of one operation and of its baseline in the same run. */
export interface Row {
  /** Its key in bench/figures.json. */
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

/** The limit: a multiple of the baseline, or an absolute value. */
export type Goal = { times: number } | { gateway: number }

const LEAST_DIGITS = 3
const digits = (value: number) => (value < 100 ? Number(value.toPrecision(LEAST_DIGITS)).toString() : show(value))

export const ratioOf = ({ cost, yardstick }: Row) =>
  yardstick === undefined ? undefined : (cost.gateway + cost.database) / yardstick.cost

export function isMet(row: Row): boolean {
  const { cost, goal } = row
  if ('times' in goal) return ratioOf(row)! <= goal.times
  return cost.gateway + cost.database <= goal.gateway
}

/** Microseconds, or milliseconds where those are easier to read. */
const inUnit = (value: number, unit: Row['unit']) => (unit === 'ms' ? value / 1_000 : value)

function showCost({ gateway, database }: Spent, unit: Row['unit']): string {
  const parts = [gateway, ...(database > 0 ? [database] : [])].map((part) => digits(inUnit(part, unit)))
  return `${parts.join(' + ')} ${unit}`
}

function showGoal({ goal, unit }: Row): string {
  if ('times' in goal) return `≤ ${goal.times} ×`
  return `≤ ${showCost({ gateway: goal.gateway, database: 0 }, unit)}`
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

/** How often to measure, and when to measure again. */
export interface Patience {
  turns: number
  /** True if the ratio is so much worse than the stored one that the operation should be measured again before it is reported. */
  isDear(key: string, ratio: number): boolean
}

const TRIES = 4

/**
 * Measures an operation and its baseline in turns and takes the cheapest turn of each, because other load only makes a turn more expensive. Adds turns
 * while the result looks too expensive.
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

/** The cost per operation between two moments. */
export const each = (before: Spent, after: Spent, count: number): Spent => ({
  gateway: (after.gateway - before.gateway) / count,
  database: (after.database - before.database) / count,
})
