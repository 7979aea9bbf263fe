import type { Component, State } from './components.ts'

/** What was seen of a component in a day: how often somebody looked, and how often it was not well. */
interface StatusDaysTable {
  component: Component
  /** As in 2027-01-31, UTC. */
  day: string
  looks: number
  degraded: number
  down: number
  last_at: number
  /** What was seen last: it counts as an incident once it is seen twice. */
  last_state: State
}

interface StatusIncidentsTable {
  id: string
  component: Component
  state: Exclude<State, 'up'>
  started_at: number
  ended_at: number | null
}

export interface StatusTables {
  status_days: StatusDaysTable
  status_incidents: StatusIncidentsTable
}

/** In an order in which references are already there. */
export const STATUS_TABLES = ['status_days', 'status_incidents'] as const satisfies readonly (keyof StatusTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends StatusTables {}
}
