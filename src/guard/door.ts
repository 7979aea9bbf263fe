import type { Ctx } from '../kernel/ctx.ts'
import type { Names } from '../kernel/ports.ts'
import type { Scope } from '../kernel/rights.ts'
import type { Json } from '../kernel/shape.ts'
import type { RegisteredAction, Registry } from './registry.ts'

export type Body = Readonly<Record<string, unknown>>

/** What a door needs to know to read a request. */
export interface Readable {
  names: Names
  /** Entries that a list has at most. */
  countMax: number
}

/** A request that was read and may be run. */
export interface Asked {
  /** Money moves or something is made: with an Idempotency-Key it acts once. */
  once: boolean
  /** What a secret key must be let do for it. */
  scope: Scope
  run(ctx: Ctx): Promise<Json> | Json
}

/**
 * How requests are read and answers are shaped. There are two: the service's, which speaks the contract, and the node's, which
 * speaks as a node does; the service's may have the action in its path. Everything between, from keys to payments, is one and the same.
 */
export interface Door {
  /** Stands before a request where its answer is remembered: equal requests have other answers at another door. */
  prefix: string
  /** Stands before what a request means: the same one is answered in another shape elsewhere. */
  shape: string
  parse(text: string, registry: Registry): Body
  find(registry: Registry, body: Body): RegisteredAction
  /** Names of fields that are not read. */
  ignored(found: RegisteredAction, body: Body): string | undefined
  /** Refuses what cannot be meant. */
  read(readable: Readable, found: RegisteredAction, body: Body): Asked | Promise<Asked>
}
