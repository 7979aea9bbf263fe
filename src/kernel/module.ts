import type { Action } from './action.ts'

/** A room of the house: what it offers to the transports. */
export interface Module {
  name: string
  actions: readonly Action[]
}
