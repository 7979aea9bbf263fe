import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AccountCaller, type AccountRequest, type RouteRequest, toIds } from '../kernel/route.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import { refuseNul } from '../kernel/refuse-nul.ts'
import type { SecretBox } from '../kernel/ports.ts'
import { bodyOf, isForm, readForm } from './body.ts'
import type { DeveloperDoor } from './developer-door.ts'
import { onceFor } from './once-for.ts'
import { readCookie, requireOwnPage } from './session.ts'

export interface RequestOptions {
  store: StoreCtx
  secrets: Pick<SecretBox, 'seal' | 'open'>
  developers: DeveloperDoor
  ipOf(request: FastifyRequest['raw']): string
  baseUrl(): string
}

/** A request as rooms see it. */
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
    tell: (name, value) => void reply.header(name, value),
  }
}

/** The same of a known caller. What is wrong with the body is told now, whether the route reads it or not. */
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
