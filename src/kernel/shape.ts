import { lazily } from './lazily.ts'
import { formatNano } from './money.ts'

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json | undefined }
export type JsonObject = { [name: string]: Json | undefined }

const RAW = /^[0-9]{1,39}$/

/** Adds to each of these amounts in raw its `_nano` counterpart, directly after it: `balance`, `balance_nano`. */
export function withNano(record: JsonObject, names: readonly string[]): JsonObject {
  const result: JsonObject = {}
  for (const name in record) {
    const value = record[name]
    result[name] = value
    if (names.includes(name) && typeof value === 'string' && RAW.test(value)) {
      result[`${name}_nano`] = formatNano(BigInt(value))
    }
  }
  return result
}

/** A node writes an empty container as `""`; this accepts both forms. */
export function toObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

export function toList(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : []
}

/**
 * A value from outside as text. Anything but text, a number or a flag counts as absent: `String` throws for an object
 * whose `toString` is not a function, and anybody can send `{"toString":1}`.
 */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? `${value}` : ''
}

/** Returns `""` for an empty object, as nodes do: clients test for `""` and would treat `{}` as data. */
export function orEmpty(record: JsonObject): Json {
  for (const _name in record) return record
  return ''
}

const words = lazily(() => new Intl.RelativeTimeFormat('en', { numeric: 'always' }))
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** A time relative to now: `in 3 months`, `2 hours ago`. Both are milliseconds. */
export function relativeTime(at: number, now: number): string {
  const distance = at - now
  const [unit, length] = STEPS.find(([, length]) => Math.abs(distance) >= length) ?? ['second', 1_000]
  return words().format(Math.round(distance / length), unit)
}
