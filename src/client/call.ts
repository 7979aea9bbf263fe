import type { ActionFacts } from './action-facts.ts'
import { toWire, withBigints } from './amounts.ts'
import { GatewayError, toRefusal } from './gateway-error.ts'
import type { Fetch } from './ledger-rpc.ts'

export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  /** For a call that its caller repeats; every other money call gets a key of its own. */
  idempotencyKey?: string | undefined
}

export interface Connection {
  /** Without a trailing slash. */
  url: string
  key: string | undefined
  fetch: Fetch
  timeoutMs: number
  /** Whether this answer was paid for; then the call is not repeated. */
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
  for (let failures = 0; ;) {
    try {
      const answer = await ask(connection, `/actions/${name}`, { method: 'POST', body, headers }, options)
      return withBigints(answer, facts.raws)
    } catch (error) {
      const wait = waitBefore(error, facts)
      if (++failures >= TRIES_MAX || wait === undefined) throw error
      await rest(Math.max(wait * 1_000, backOff(failures)), options.signal)
    }
  }
}

/** Seconds to wait before a failed call may be repeated; undefined where it must not be. */
function waitBefore(error: unknown, { safe }: ActionFacts): number | undefined {
  if (!safe || !(error instanceof GatewayError) || !PASSING.has(error.status) || error.paid) return undefined
  const { retryAfter = 0 } = error
  return retryAfter <= WAIT_SECONDS_MAX ? retryAfter : undefined
}

interface Question {
  method: 'GET' | 'POST' | 'DELETE'
  body?: string
  headers?: Record<string, string>
}

/** One exchange of JSON; an `error` in the answer is a failure, also with status 200. */
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
  if (response.status === 200 && answer !== undefined && !isRefusal) return answer
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
    // Not JSON: not an answer of a gateway, and reported as such.
    return undefined
  }
}

/** Waits so many milliseconds; a signal ends the wait early, with its reason. */
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

/** Longer after each failure, with jitter so that clients do not retry at the same moment. */
export const backOff = (failures: number, { first = 100, most = 30_000 } = {}): number =>
  Math.min(most, first * 2 ** failures) * (0.5 + Math.random() / 2)
