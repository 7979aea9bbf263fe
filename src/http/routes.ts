import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../kernel/ctx.ts'
import { AppError } from '../kernel/errors.ts'
import {
  type AccountCaller,
  type Access,
  type Reply,
  type Route,
  type RouteLimit,
  type RouteRequest,
  type Run,
  requireFresh,
} from '../kernel/route.ts'
import { type Degree, requirePermission } from '../kernel/rights.ts'
import type { Described } from '../kernel/described.ts'
import { asStep } from '../kernel/traces.ts'
import { unusedOfRoute } from '../kernel/parse-fields.ts'
import { textOf } from '../kernel/shape.ts'
import { type RequestOptions, findBody, readBodies, toAccountRequest, toRouteRequest } from './route-request.ts'
import { fromFastify, toErrorReply } from './errors.ts'
import { EventStreams } from './event-stream.ts'
import { toProblemPage, wantsPage } from './problem.tsx'
import type { RouteLimits } from './route-limits.ts'
import { noteCaller } from './server.ts'
import {
  type SessionOptions,
  identifyApiCaller,
  readCookie,
  refuseOtherPages,
  spenderOf,
  endedCookie,
  sessionCookie,
} from './session.ts'
import { Readable } from 'node:stream'
import { renderPage } from '../web/layout.tsx'
import { PAGE_HEADERS, contentPolicy } from './page-headers.ts'
import { Prepared, sendPrepared } from './prepared.ts'

function sendReply(
  { baseUrl, streams }: { baseUrl(): string; streams: EventStreams },
  reply: FastifyReply,
  answer: Reply,
): FastifyReply {
  const { status = 200, headers = {} } = answer
  if ('events' in answer) return streams.answer(reply, answer.events)
  if ('goTo' in answer) {
    return reply.headers({ ...(answer.asPage && PAGE_HEADERS), ...headers }).redirect(answer.goTo, 303)
  }
  if ('page' in answer) {
    const policy = { 'content-security-policy': contentPolicy(answer.frame) }
    void reply.code(status).headers({ ...PAGE_HEADERS, ...policy, ...headers })
    return answer.isShared
      ? sendPrepared(
          reply.request,
          reply,
          prepare(answer, () => renderPage(answer.page), HTML),
        )
      : reply.send(renderPage(answer.page))
  }
  void reply.code(status).headers(headers)
  if ('bytes' in answer) return reply.type(answer.type).send(Buffer.from(answer.bytes))
  if ('rows' in answer) return reply.type(answer.type).send(Readable.from(answer.rows))
  if (answer.isShared)
    return sendPrepared(
      reply.request,
      reply,
      prepare(answer, () => JSON.stringify(answer.json), JSON_TYPE),
    )
  const { json, session } = answer
  if (session !== undefined) {
    void reply.header('set-cookie', session === null ? endedCookie(baseUrl()) : sessionCookie(baseUrl(), session))
  }
  return reply.send(json)
}

const HTML = PAGE_HEADERS['content-type']
const JSON_TYPE = 'application/json; charset=utf-8'
const prepared = new WeakMap<Reply, Prepared>()

/** Prepared once for a reply object that a module returns more than once. */
function prepare(answer: Reply, make: () => string, type: string): Prepared {
  const known = prepared.get(answer) ?? new Prepared(make(), type)
  prepared.set(answer, known)
  return known
}

export interface RoutesOptions extends SessionOptions, RequestOptions {
  limits: RouteLimits
  /** For public routes that declare no limit. */
  openLimit: RouteLimit
  /** Admits a caller, or refuses with 429. */
  enter(caller: Caller, request: FastifyRequest['raw']): Entry | Promise<Entry>
  onError(error: unknown, requestId: string): void
  /** Whether the gateway uses the development ledger, which every page shows. */
  devnet?: boolean
  /** Descriptions of the routes below `/api`. A route without a description accepts no fields. */
  described: readonly Described[]
}

interface Entry {
  /** Call it when the request is over, however it ended. */
  leave(): void
}

interface Mounting extends RoutesOptions {
  streams: EventStreams
}

interface Mounted extends Mounting {
  /** Refuses fields that the route does not use. */
  refuseUnused: ReturnType<typeof unusedOfRoute>
}

/** What each route passes to the hook that collects all routes, in addition to method and path. */
interface RouteFacts {
  access: Access
}

export interface AnsweredRoute {
  method: string
  /** With the names of its parameters: `/check/:id`. */
  path: string
  /** Who may use it, if a module has declared it. */
  access: Access | undefined
}

/** Collects every route added from now on, also those that the framework adds. */
export function listAnswered(server: FastifyInstance): readonly AnsweredRoute[] {
  const routes: AnsweredRoute[] = []
  server.addHook('onRoute', ({ method, url, config }) => {
    const { access } = (config ?? {}) as Partial<RouteFacts>
    for (const each of [method].flat()) routes.push({ method: each, path: url, access })
  })
  return routes
}

/**
 * Serves the routes that modules declare: checks who may use each, counts limits, and sends the replies. Only this file
 * knows both routes and the web framework. Returns the streams that it opens.
 */
export function mountRoutes(server: FastifyInstance, routes: readonly Route[], options: RoutesOptions): EventStreams {
  const streams = new EventStreams(options.store.clock)
  // Plugins are loaded when the server is; `listen` waits for that.
  void server.register((scope, _options, done) => {
    readBodies(scope)
    const mounting = { ...options, streams }
    for (const route of routes) mount(scope, route, mounting)
    done()
  })
  return streams
}

function mount(scope: FastifyInstance, route: Route, mounting: Mounting): void {
  const { method, path, access, bodyBytesMax, stream } = route
  const facts: RouteFacts = { access }
  const mounted: Mounted = { ...mounting, refuseUnused: isApi(route) ? unusedBy(route, mounting) : () => undefined }
  scope.route({
    method: [method].flat(),
    url: path,
    config: facts,
    ...(bodyBytesMax !== undefined && { bodyLimit: bodyBytesMax }),
    ...(stream && { exposeHeadRoute: false }),
    onRequest: (request, reply) => arrive(mounting, route, request, reply),
    handler: (request, reply) => answer(mounted, route, request, reply),
    errorHandler: (error: Error, request, reply) => void refuse(mounting, route, error, { request, reply }),
  })
}

const isApi = ({ path }: Route) => path.startsWith('/api/')

function unusedBy(route: Route, { described }: RoutesOptions): Mounted['refuseUnused'] {
  const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
  const [method] = [route.method].flat()
  return unusedOfRoute(described.find((each) => each.path === path && each.method.toUpperCase() === method))
}

/** Runs before the body is read. */
async function arrive(mounting: Mounting, route: Route, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { baseUrl, limits, developers, openLimit } = mounting
  const { access, limit = access === 'open' ? openLimit : undefined, cacheable } = route
  if (!cacheable) void reply.header('cache-control', 'no-store')
  // Other origins must not read answers that a cookie gives access to, not even refusals.
  if (isApi(route) && readCookie(request.headers, baseUrl()) !== undefined) hideFromOthers(reply)
  // Otherwise any page in the same browser could use the development ledger of this machine.
  if (access === 'developer') refuseOtherPages(request.headers, baseUrl())
  if (limit) await limits.take(limit, request, reply)
  if (access === 'developer') await developers.require(request)
}

function hideFromOthers(reply: FastifyReply): void {
  void reply.removeHeader('access-control-allow-origin')
}

async function answer(
  mounting: Mounted,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (route.access === 'account' || route.access === 'administrator') {
    const caller = await asStep(mounting.store.traces?.begin('guard identify'), () =>
      identifyCaller(mounting, route.unenrolled === true, request),
    )
    if (isApi(route)) noteCaller(request, spenderOf(caller))
    return within(mounting, spenderOf(caller), request, async () => {
      const { permission = route.scope } = route
      if (permission !== 'none') requirePermission(caller, permission, degreeOf(route, request))
      if (route.proof) requireFresh(caller, { now: mounting.store.clock.now(), devnet: mounting.devnet === true })
      const asked = toAccountRequest(mounting, caller, request, reply)
      if (route.access === 'administrator' && caller.role !== 'admin') {
        throw new AppError('feature_disabled', 'Only administrators may see this.')
      }
      return finish(mounting, route, asked, reply)
    })
  }
  const asked = toRouteRequest(mounting, request, reply)
  if (route.access !== 'anyone') return finish(mounting, route, asked, reply)
  return within(mounting, { kind: 'anonymous' }, request, async () => {
    if (route.ownPagesOnly) {
      // Otherwise another site could sign its visitor in to an account of that site's choice.
      refuseOtherPages(request.headers, mounting.baseUrl())
      hideFromOthers(reply)
    }
    return finish(mounting, route, asked, reply)
  })
}

/** A GET only reads; all other methods change something. */
function degreeOf({ degree = 'see' }: { degree?: Degree }, { method }: FastifyRequest): Degree {
  return method === 'GET' || method === 'HEAD' ? degree : 'all'
}

/** Runs before any other part of the request is read. */
function identifyCaller(mounting: Mounting, unenrolled: boolean, request: FastifyRequest): Promise<AccountCaller> {
  const { method, url, headers } = request
  const presented = { method, url, headers, body: findBody(request), unenrolled }
  return identifyApiCaller(mounting, presented).catch((error: unknown) =>
    // Wrong credentials count against the address that sends them.
    within(mounting, { kind: 'anonymous' }, request, () => Promise.reject<AccountCaller>(error)),
  )
}

async function within<T>(
  { enter, store: { traces } }: RoutesOptions,
  caller: Caller,
  { raw }: FastifyRequest,
  run: () => Promise<T>,
): Promise<T> {
  const { leave } = await asStep(traces?.begin('guard throttle'), () => enter(caller, raw))
  try {
    return await run()
  } finally {
    leave()
  }
}

/** Runs a route and sends its reply, or its error in the format of the route. */
async function finish<R extends RouteRequest>(
  mounting: Mounted,
  route: Run<R>,
  asked: R,
  reply: FastifyReply,
): Promise<FastifyReply> {
  let answered: Reply
  try {
    mounting.refuseUnused(asked)
    answered = await route.run(asked)
  } catch (error) {
    const { status, body, retryAfterSeconds, isFailure } = toErrorReply(error)
    const shown = await route.problem?.({ status, body }, asked)
    if (!shown) throw error
    if (isFailure) mounting.onError(error, reply.request.id)
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds)
    return sendReply(mounting, reply, { status, ...shown })
  }
  return sendReply(mounting, reply, answered)
}

/** Sends an error; browsers get a page. */
export function refuse(
  { onError, devnet }: Pick<RoutesOptions, 'onError' | 'devnet'>,
  { explain }: Pick<Route, 'explain'>,
  error: Error,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): FastifyReply {
  const refusal = fromFastify(error)
  const { status, body, retryAfterSeconds, isFailure } = toErrorReply(refusal)
  if (isFailure) onError(error, request.id)
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds)
  if (wantsPage(request.method, request.url, request.headers)) {
    const { headers, page } = toProblemPage({
      status,
      text: textOf(body.detail ?? body.error),
      devnet: devnet === true,
    })
    return reply.code(status).headers(headers).send(page)
  }
  return reply
    .header('cache-control', 'no-store')
    .code(status)
    .send({ ...explain?.(refusal), ...body })
}
