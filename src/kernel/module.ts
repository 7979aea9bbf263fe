import type { Action } from './action.ts'
import type { Described } from './described.ts'
import type { Job } from './job.ts'
import type { Form, OpenPage, Page } from './page.ts'
import type { Route } from './route.ts'

/** A number that is read when metrics are requested. */
export interface Gauge {
  name: string
  help: string
  labels: readonly string[]
  read(): Reading[] | Promise<Reading[]>
}

interface Reading {
  labels?: Record<string, string>
  value: number
}

/** A module: what it offers, what it does in the background, and what happens when it starts and stops. */
export interface Module {
  readonly name: string
  readonly actions?: readonly Action[]
  /** What its actions need in addition to the request. */
  readonly context?: unknown
  readonly routes?: readonly Route[]
  /** Pages of the dashboard. */
  readonly pages?: readonly (Page | Form | OpenPage)[]
  readonly jobs?: readonly Job<never>[]
  readonly gauges?: readonly Gauge[]
  /** Loads data from the store into memory. The nodes are known, but jobs do not run yet. */
  load?(): Promise<void>
  /** Starts its background work. Jobs run now, but nothing is served yet. */
  start?(): Promise<void>
  /** Called when the port is open and the service's address is known. */
  listening?(): Promise<void>
  /** Called when the service is about to stop, to answer callers who wait. */
  stopping?(): void
  close?(): Promise<void> | void
}

export interface Offered extends Required<Pick<Module, 'name' | 'actions'>> {
  /** The documentation of its routes. */
  readonly described?: readonly Described[]
}

/** The actions of a module with its context. */
export function offer<R>(
  name: string,
  context: R,
  actions: readonly Action<R>[],
): Required<Pick<Module, 'name' | 'actions' | 'context'>> {
  return { name, actions, context }
}
