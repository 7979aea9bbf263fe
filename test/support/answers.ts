import { Ajv, type ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import { statusesOf } from '../../src/http/openapi/actions.ts'
import { listDescribed } from '../../src/http/openapi/index.ts'
import { OFFERED } from '../../src/offered.ts'
import { ERROR, refusalsOf } from '../../src/http/openapi/operation.ts'
import type { Described } from '../../src/kernel/described.ts'
import type { Action } from '../../src/kernel/action.ts'

interface Answered {
  status: number
  text: string
}

const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true })
const compiled = new WeakMap<object, ValidateFunction>()

/** The first violation of a schema, if any. */
function findWrong(schema: TSchema, value: unknown): string | undefined {
  let validate = compiled.get(schema)
  if (!validate) compiled.set(schema, (validate = ajv.compile(schema)))
  return validate(value) ? undefined : ajv.errorsText(validate.errors)
}

/** Checks an action's answer against its declared schema, statuses and errors. */
export function checkAnswer(actions: readonly Action[], name: unknown, { status, text }: Answered) {
  const action = actions.find((one) => one.name === name || one.synonyms?.includes(String(name)))
  if (!action) return
  const tell = (what: string) =>
    new Error(`${action.name} answers other than it says: ${what}\n${text.slice(0, 2_000)}`)
  if (status !== 200) {
    if (!statusesOf(action).includes(status)) throw tell(`nobody is told of the status ${status}`)
    const wrong = findWrongRefusal(status, text)
    if (wrong !== undefined) throw tell(wrong)
    return
  }
  const body = JSON.parse(text) as unknown
  if (typeof body === 'object' && body !== null && 'error' in body) {
    if (!action.refusals) throw tell('the ledger refuses, and it has no refusals')
    return
  }
  const wrong = findWrong(action.output, body)
  if (wrong !== undefined) throw tell(wrong)
}

/** The rules for every refusal by a limit or an outage (contract 7, Body; 8, rule 3). */
function findWrongRefusal(status: number, text: string): string | undefined {
  if (status !== 429 && status !== 503) return undefined
  const { error, detail, retry_after: wait } = JSON.parse(text) as Record<string, unknown>
  if (typeof wait !== 'number') return 'nobody is told when to come back'
  const isOneText = status === 503 || (error === 'Too many requests.' && typeof detail === 'string')
  return isOneText ? undefined : 'a limit has other words'
}

const toPattern = ({ path }: Described) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`)
/** Paths with fixed words match before those with ids. */
const ROUTES = listDescribed(OFFERED)
  .map((route) => ({ route, pattern: toPattern(route) }))
  .sort((a, b) => Number(a.route.path.includes('{')) - Number(b.route.path.includes('{')))

export const findDescribed = (method: string, path: string): Described | undefined =>
  ROUTES.find(({ route, pattern }) => route.method === method.toLowerCase() && pattern.test(path))?.route

/** Statuses of connections whose request was never complete. */
const UNREAD = new Set([408, 431])

/** Checks a route's answer against its description. Pages are not described. */
export function checkRoute(method: string, url: string, reply: Answered & { type: string | undefined }): void {
  const { status, text, type = '' } = reply
  const route = findDescribed(method, new URL(url).pathname)
  if (!route || !type.startsWith('application/json') || UNREAD.has(status)) return
  const tell = (what: string) =>
    new Error(`${method} ${route.path} answers other than it says: ${what}\n${text.slice(0, 2_000)}`)
  const expected = schemaFor(route, status)
  if (!expected) throw tell(`nobody is told of the status ${status}`)
  const wrong =
    findWrong(expected, JSON.parse(text)) ?? (expected === ERROR ? findWrongRefusal(status, text) : undefined)
  if (wrong !== undefined) throw tell(wrong)
}

function schemaFor(route: Described, status: number): TSchema | undefined {
  if (status === (route.status ?? 200)) return route.answer
  if (status === route.otherwise?.status) return route.otherwise.schema
  return refusalsOf(route).includes(status) ? ERROR : undefined
}
