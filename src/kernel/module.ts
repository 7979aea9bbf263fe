import type { Action } from './action.ts'
import type { Described } from './described.ts'
import type { Job } from './job.ts'
import type { Form, OpenPage, Page } from './page.ts'
import type { Route } from './route.ts'

/** A number that is read whenever metrics are requested. */
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
  /** What its actions need beside the request. */
  readonly context?: unknown
  readonly routes?: readonly Route[]
  /** Pages of the dashboard. */
  readonly pages?: readonly (Page | Form | OpenPage)[]
  readonly jobs?: readonly Job<never>[]
  readonly gauges?: readonly Gauge[]
  /** Fills its memory from the store. Nodes are known; jobs do not run yet. */
  load?(): Promise<void>
  /** Starts its background work. Jobs run; nothing is served yet. */
  start?(): Promise<void>
  /** The port is open, and the address of the service is known. */
  listening?(): Promise<void>
  /** The service is about to stop: callers that wait for something are answered. */
  stopping?(): void
  close?(): Promise<void> | void
}

/** A module as the documents know it. */
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
