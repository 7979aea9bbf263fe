import type { TObject, TSchema } from 'typebox'
import { answer } from './answers.ts'
import { formatNano } from './money.ts'
import type { Json, JsonObject } from './shape.ts'

/* What an answer shows of a record, declared once: its schema and its values. Records that their owner edits are resources instead. */

/** Undefined leaves it out. */
type Computed<R, C> = readonly [schema: TSchema, from: (record: R, context: C) => Json | undefined]
/** A schema alone is for the member of the record with the same name in camel case. */
type Members<R, C> = Readonly<Record<string, TSchema | Computed<R, C>>>
export interface View<R, C, M> {
  members: M
  schema: TObject
  show: (record: R, ...context: C extends void ? [] : [context: C]) => JsonObject
}

const camel = (name: string) => name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())

export const view =
  <R extends object, C = void>() =>
  <M extends Members<R, C>>(members: M): View<R, C, M> => {
    const all = Object.entries<TSchema | Computed<R, C>>(members).map(([name, member]) => {
      const own = camel(name) as keyof R
      const [schema, from] = Array.isArray(member)
        ? (member as unknown as Computed<R, C>)
        : [member as TSchema, (record: R) => record[own] as Json]
      return { name, schema, from }
    })
    return {
      members,
      schema: answer.record(Object.fromEntries(all.map(({ name, schema }) => [name, schema]))),
      show(record, ...[context]) {
        const shown: JsonObject = {}
        for (const { name, from } of all) {
          const value = from(record, context as C)
          if (value !== undefined) shown[name] = value
        }
        return shown
      },
    }
  }

const toUnix = (milliseconds: number) => Math.floor(milliseconds / 1000)
const toIso = (milliseconds: number) => new Date(milliseconds).toISOString()

/* Usual kinds of computed members, by the name in the record. */

/** An amount in nano, and in raw. */
export const nano = <K extends string>(name: K) =>
  [answer.nano, (record: Record<K, bigint>) => formatNano(record[name])] as const
export const raw = <K extends string>(name: K) =>
  [answer.raw, (record: Record<K, bigint>) => record[name].toString()] as const

/** A time, stored in milliseconds, in seconds since 1970 or as ISO 8601. */
export const unix = <K extends string>(name: K) =>
  [answer.unix, (record: Record<K, number>) => toUnix(record[name])] as const
export const unixOrNull = <K extends string>(name: K) =>
  [answer.orNull(answer.unix), (record: Record<K, Time>) => orNull(record[name], toUnix)] as const
export const iso = <K extends string>(name: K) =>
  [answer.text, (record: Record<K, number>) => toIso(record[name])] as const
export const isoOrNull = <K extends string>(name: K) =>
  [answer.orNull(answer.text), (record: Record<K, Time>) => toTime(record[name])] as const

/** A time as ISO 8601, or null. */
export const toTime = (milliseconds: Time) => orNull(milliseconds, toIso)

type Time = number | null | undefined
const orNull = <T extends Json>(time: Time, to: (time: number) => T) =>
  time === null || time === undefined ? null : to(time)
