import type { Component, State } from './components.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    /** The checks of a component on a day, and how many found it degraded or down. */
    status_days: {
      component: Component
      /** For example 2027-01-31, in UTC. */
      day: string
      looks: number
      degraded: number
      down: number
      last_at: number
      /** The last observed state; a bad one becomes an incident when it is observed twice. */
      last_state: State
    }
    status_incidents: {
      id: string
      component: Component
      state: Exclude<State, 'up'>
      started_at: number
      ended_at: number | null
    }
  }
}

/** Ordered so that every table comes after the tables that it refers to. */
export const STATUS_TABLES = ['status_days', 'status_incidents'] as const
