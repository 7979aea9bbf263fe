import type { ActionFacts } from './action-facts.ts'
import { toWire, withBigints } from './amounts.ts'
import { ROUTES, type RouteFacts, type RouteName, type Routes } from './generated/routes.ts'
import { GatewayError, toRefusal } from './gateway-error.ts'
import type { Fetch } from './ledger-rpc.ts'

export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  /** Set it to repeat a call. Without it every call that moves money gets a key of its own. */
  idempotencyKey?: string | undefined
}

export interface Connection {
  /** Without a trailing slash. */
  url: string
  key: string | undefined
  fetch: Fetch
  timeoutMs: number
  /** Whether a payment was sent for this answer; such a call is not repeated. */
  wasPaid(response: Response): boolean
}

const TRIES_MAX = 3
/** If a server asks for a longer wait, the caller gets the error instead. */
const WAIT_SECONDS_MAX = 10
const PASSING = new Set([0, 429, 502, 503, 504])

/** Calls an action and returns its answer; throws `GatewayError` for everything else. */
export async function callAction(
  connection: Connection,
  name: string,
  facts: ActionFacts,
  fields: object = {},
  options: CallOptions = {},
): Promise<unknown> {
  const body = toWire(fields as Record<string, unknown>, facts.units)
  const idempotencyKey = options.idempotencyKey ?? (facts.once ? crypto.randomUUID() : undefined)
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
  const question = { method: 'POST', body, headers } as const
  const answer = await askAgain(connection, `/actions/${name}`, question, facts, options)
  return withBigints(answer, facts.raws)
}

/** Sends the call, and again with the same bytes and Idempotency-Key if a repetition is harmless. */
async function askAgain(
  connection: Connection,
  path: string,
  question: Question,
  facts: Pick<ActionFacts, 'safe' | 'once'>,
  options: CallOptions = {},
): Promise<unknown> {
  const mayRepeat = facts.safe === true || (facts.once === true && isRemembered(connection))
  for (let failures = 0; ;) {
    try {
      return await ask(connection, path, question, options)
    } catch (error) {
      const wait = mayRepeat ? waitBefore(error) : undefined
      if (++failures >= TRIES_MAX || wait === undefined) throw error
      await rest(Math.max(wait * 1_000, backOff(failures)), options.signal)
    }
  }
}

/** A gateway stores Idempotency-Keys only for accounts: a repeated anonymous call would act twice. */
const isRemembered = ({ key }: Connection) => key?.startsWith('rpc_sk_') === true

/** Seconds to wait before repeating a failed call; undefined if it must not be repeated. */
function waitBefore(error: unknown): number | undefined {
  if (!(error instanceof GatewayError) || error.paid) return undefined
  // The reply of the first try was lost, but the gateway is still working on it.
  const isPassing = PASSING.has(error.status) || error.code === 'idempotency_in_flight'
  const { retryAfter = 0 } = error
  return isPassing && retryAfter <= WAIT_SECONDS_MAX ? retryAfter : undefined
}

/** The parameters of a route. */
export interface RouteCall {
  id?: string | undefined
  query?: object | undefined
  body?: object | undefined
}

/** Calls a route of the REST API, with the same rules as an action. */
export async function callRoute<Id extends RouteName>(
  connection: Connection,
  name: Id,
  { id = '', query = {}, body }: RouteCall,
  options: CallOptions = {},
): Promise<Routes[Id]['answer']> {
  const facts: RouteFacts = ROUTES[name]
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const asked = new URLSearchParams(given.map(([each, value]) => [each, String(value)])).toString()
  const path = `${facts.path.replace('{id}', encodeURIComponent(id))}${asked && `?${asked}`}`
  const idempotencyKey = options.idempotencyKey ?? (facts.once ? crypto.randomUUID() : undefined)
  const question: Question = {
    method: facts.method,
    ...(body && { body: toWire(body as Record<string, unknown>, facts.units) }),
    ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
  }
  const safe = facts.method === 'GET' || undefined
  const answer = await askAgain(connection, path, question, { ...facts, ...(safe && { safe }) }, options)
  return withBigints(answer, facts.raws) as Routes[Id]['answer']
}

interface Question {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: string
  headers?: Record<string, string>
}

/** Sends and receives JSON. An `error` in the answer throws, whatever the status. */
export async function ask(
  connection: Connection,
  path: string,
  { method, body, headers = {} }: Question,
  options: CallOptions = {},
): Promise<unknown> {
  const idempotencyKey = headers['idempotency-key']
  const { response, text } = await exchange(connection, path, { method, body, headers }, options)
  const answer = parse(text)
  const isRefusal = typeof answer === 'object' && answer !== null && 'error' in answer
  if ((response.status === 200 || response.status === 201) && answer !== undefined && !isRefusal) return answer
  throw toRefusal(response, answer, { idempotencyKey, paid: connection.wasPaid(response) })
}

async function exchange(
  { url, key, fetch, timeoutMs }: Connection,
  path: string,
  { method, body, headers }: { method: string; body: string | undefined; headers: Record<string, string> },
  options: CallOptions,
): Promise<{ response: Response; text: string }> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? timeoutMs)
  const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body !== undefined && { body }),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      signal,
      // A redirect must not send the key to another server.
      redirect: 'manual',
    })
    return { response, text: await response.text() }
  } catch (error) {
    options.signal?.throwIfAborted()
    if (error instanceof GatewayError) throw error
    const details = { cause: error, idempotencyKey: headers['idempotency-key'] }
    if (timeout.aborted) throw new GatewayError('The gateway took too long.', { code: 'timeout', ...details })
    throw new GatewayError(`No gateway answers at ${url}.`, { code: 'network_error', ...details })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, so the answer did not come from a gateway; the caller reports that.
    return undefined
  }
}

/** Waits for so many milliseconds; a signal ends the wait early and its reason is thrown. */
export function rest(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** Waits longer after each failure, with jitter so that clients do not all retry at the same moment. */
export const backOff = (failures: number, { first = 100, most = 30_000 } = {}): number =>
  Math.min(most, first * 2 ** failures) * (0.5 + Math.random() / 2)
