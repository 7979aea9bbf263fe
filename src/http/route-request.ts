import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestHeaders } from '../guard/credential.ts'
import { parseBody } from '../guard/json-body.ts'
import { type OnceCtx, fingerprintOf, once, readIdempotencyKey } from '../guard/once.ts'
import type { Idempotency } from '../kernel/idempotency.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import type { SecretBox } from '../kernel/ports.ts'
import { refuseNul } from '../kernel/refuse-nul.ts'
import { type AccountCaller, type AccountRequest, type Fields, type RouteRequest, toIds } from '../kernel/route.ts'
import type { JsonObject } from '../kernel/shape.ts'
import type { DeveloperAccess } from './developer-access.ts'
import { readCookie, requireOwnPage } from './session.ts'

export interface RequestOptions {
  store: StoreCtx
  secrets: Pick<SecretBox, 'encrypt' | 'open'>
  developers: DeveloperAccess
  ipOf(request: FastifyRequest['raw']): string
  baseUrl(): string
}

/** The part of a request that modules see. */
export function toRouteRequest(
  { ipOf, baseUrl, developers }: RequestOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): RouteRequest {
  const { id, raw, headers, params, query } = request
  return {
    id,
    ip: ipOf(raw),
    params: params as Record<string, string>,
    query: refuseNul(query as Record<string, unknown>),
    header(name) {
      const value = headers[name]
      return typeof value === 'string' ? value : undefined
    },
    body(needed) {
      const { key: _credential, ...body } = bodyOf(request, needed)
      return body
    },
    isForm: isForm(request),
    fields: () => readForm(request),
    ownSession() {
      const token = readCookie(headers, baseUrl())
      if (token !== undefined) requireOwnPage(headers, baseUrl())
      return token
    },
    mayPlay: () => developers.mayEnter(request),
    setHeader: (name, value) => void reply.header(name, value),
  }
}

/** The same, for a known caller. An unreadable body is refused here even if the route does not use it. */
export function toAccountRequest(
  options: RequestOptions,
  caller: AccountCaller,
  request: FastifyRequest,
  reply: FastifyReply,
): AccountRequest {
  const asked = toRouteRequest(options, request, reply)
  const params = toIds(asked.params)
  const body = asked.body()
  const { store, secrets } = options
  const call = { accountId: caller.accountId, headers: request.headers, body, params, reply }
  return {
    ...asked,
    params,
    caller,
    body: () => body,
    once: (action, run) => onceFor({ ...store, secrets }, { ...call, action }, run),
  }
}

interface OnceCall {
  /** What the request does; stored with the Idempotency-Key. */
  action: string
  accountId: string
  headers: RequestHeaders
  body: Fields
  params: Fields
  reply: FastifyReply
}

/** Runs a request once for each `Idempotency-Key`. Without a key it just runs. */
async function onceFor(
  ctx: OnceCtx,
  { action, accountId, headers, body, params, reply }: OnceCall,
  run: (idempotency: Idempotency | undefined) => Promise<JsonObject>,
): Promise<JsonObject> {
  const key = readIdempotencyKey(headers, body)
  if (key === undefined) return run(undefined)
  const request = {
    accountId,
    action,
    key,
    fingerprint: fingerprintOf({ ...body, ...params }),
    movesMoney: action === 'checkouts.refund',
    onReplay: () => void reply.header('idempotent-replayed', 'true'),
  }
  return JSON.parse(
    await once(ctx, request, async (idempotency) => JSON.stringify(await run(idempotency))),
  ) as JsonObject
}

/** Parses bodies as JSON whatever their content type, as the RPC endpoint does. */
export function readBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text))
}

function bodyOf({ body }: FastifyRequest, needed?: 'needed'): Record<string, unknown> {
  const text = typeof body === 'string' ? body : ''
  return text === '' && needed === undefined ? {} : parseBody(text)
}

/** The body if it can be read. Errors in it are reported later, when the caller is known. */
export function findBody(request: FastifyRequest): Record<string, unknown> | undefined {
  try {
    return bodyOf(request)
  } catch {
    // It is parsed again, and refused, when the caller is known.
    return undefined
  }
}

/** Whether a form sent this. Programs may use the same content type (`curl -d`), but their JSON begins with a brace. */
function isForm({ headers, body }: FastifyRequest): boolean {
  const type = headers['content-type'] ?? ''
  return /^application\/x-www-form-urlencoded\b/i.test(type) && !(typeof body === 'string' && /^\s*\{/.test(body))
}

/** The fields of a form or of JSON; the first of several values counts. */
function readForm(request: FastifyRequest): Fields {
  if (!isForm(request)) return bodyOf(request)
  const fields = new Map<string, string>()
  const text = typeof request.body === 'string' ? request.body : ''
  for (const [name, value] of new URLSearchParams(text)) if (!fields.has(name)) fields.set(name, value)
  return refuseNul(Object.fromEntries(fields))
}
