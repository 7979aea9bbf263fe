import type { Action } from './action.ts'
import type { Described } from './described.ts'
import type { Job } from './job.ts'
import type { Form, OpenPage, Page } from './page.ts'
import type { Route } from './route.ts'

/** A number that is looked up at each request for metrics. */
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

/** A room of the house: what it offers, does by itself, and shows; and when it begins and ends. */
export interface Module {
  readonly name: string
  readonly actions?: readonly Action[]
  /** What its actions work with, beside the request. */
  readonly room?: unknown
  readonly routes?: readonly Route[]
  /** Of the dashboard. */
  readonly pages?: readonly (Page | Form | OpenPage)[]
  readonly jobs?: readonly Job<never>[]
  readonly gauges?: readonly Gauge[]
  /** Fills its memory from the store. Nodes are known; jobs do not run yet. */
  load?(): Promise<void>
  /** Begins to act. Jobs run; nothing is served yet. */
  start?(): Promise<void>
  /** The port is open, and the address of the service is known. */
  listening?(): Promise<void>
  close?(): Promise<void> | void
}

/** A room as the documents know it. */
export interface Offered extends Required<Pick<Module, 'name' | 'actions'>> {
  /** What its routes take and answer. */
  readonly described?: readonly Described[]
}

/** The actions of a room, with the room that they belong to. */
export function offer<R>(
  name: string,
  room: R,
  actions: readonly Action<R>[],
): Required<Pick<Module, 'name' | 'actions' | 'room'>> {
  return { name, actions, room }
}
