import { AppError } from '../../kernel/errors.ts'
import { INVISIBLE } from '../../kernel/shown-fields.ts'
import type { NewStanding } from './domain/set-standing.ts'
import { FEATURES, type Feature } from './standing.ts'

const REASON_LENGTH_MAX = 200
const CREDITS_MAX = 1_000_000_000
const LIMIT_MAX = 1_000_000
/** A batch runs ten of its requests at once, and must not refuse itself. */
const CONCURRENCY_MIN = 20

type Body = Readonly<Record<string, unknown>>

const refuse = (field: string, text: string) => new AppError('invalid_request', text, { body: { field } })

/** Why the operator does it: it stands in the activity of the account, where its people read it. */
export function readReason({ reason }: Body): string {
  const shown = typeof reason === 'string' ? reason.replace(INVISIBLE, '').trim() : ''
  if (shown !== '' && shown.length <= REASON_LENGTH_MAX) return shown
  throw refuse('reason', `reason must be a text of 1 to ${REASON_LENGTH_MAX} characters.`)
}

/** Credits to give, or to take when below zero. */
export function readAdjustment(body: Body): { amount: number; reason: string } {
  const { amount } = body
  const isAmount = typeof amount === 'number' && Number.isInteger(amount) && amount !== 0
  if (!isAmount || Math.abs(amount) > CREDITS_MAX) {
    throw refuse('amount', `amount must be a whole number up to ${CREDITS_MAX}. A negative amount removes credits.`)
  }
  return { amount, reason: readReason(body) }
}

/** What is left out stays; null is what the settings say for all. */
export function readStanding(body: Body): NewStanding {
  const { per_minute: perMinute, concurrency, features } = body
  return {
    ...(perMinute !== undefined && { perMinute: readLimit('per_minute', perMinute, 1) }),
    ...(concurrency !== undefined && { concurrencyMax: readLimit('concurrency', concurrency, CONCURRENCY_MIN) }),
    ...(features !== undefined && { features: readFeatures(features) }),
  }
}

function readLimit(field: string, value: unknown, min: number): number | null {
  if (value === null || value === 0) return value
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= LIMIT_MAX) return value
  throw refuse(field, `${field} must be null, 0 for no limit, or a whole number from ${min} to ${LIMIT_MAX}.`)
}

function readFeatures(value: unknown): Partial<Record<Feature, boolean | null>> {
  const given = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined
  const isRight = ([name, on]: [string, unknown]) =>
    Object.hasOwn(FEATURES, name) && (on === null || typeof on === 'boolean')
  if (given?.every(isRight)) return Object.fromEntries(given)
  const names = Object.keys(FEATURES).join(', ')
  throw refuse('features', `features must be an object with ${names}, each true, false or null.`)
}
