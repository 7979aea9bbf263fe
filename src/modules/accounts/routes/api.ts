import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { parseBody } from '../guard/json-body.ts'
import type { KeptMail, ShownJob } from '../kernel/upkeep.ts'
import type { Caller } from '../kernel/ctx.ts'
import { AppError } from '../kernel/errors.ts'
import { toIds } from '../kernel/id-shape.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import type { Notices } from '../kernel/ports.ts'
import type { JsonObject } from '../kernel/shape.ts'
import {
  type Account,
  type ApiKey,
  findAccount,
  issueKey,
  listAccounts,
  listKeys,
  readCredits,
  readEmail,
  readNewKey,
  readOverlap,
  readSignInToken,
  redeemSignIn,
  requestSignIn,
  revokeKey,
  rotateKey,
  SESSION_SECONDS,
} from '../modules/accounts/index.ts'
import { toErrorReply } from './errors.ts'
import {
  type ApiCaller,
  type SessionOptions,
  endedCookie,
  identifyApiCaller,
  readCookie,
  refuseOtherPages,
  requireOwnPage,
  sessionCookie,
} from './session.ts'

const LISTED_MAX = 200

export interface RestOptions extends SessionOptions {
  store: StoreCtx
  /** Tells every instance that a key has changed. */
  notices: Pick<Notices, 'publish'>
  /** Mail that was kept instead of sent, newest first. */
  listMails(limit: number): Promise<KeptMail[]>
  listJobs(filter: { status?: string; limit: number }): Promise<ShownJob[]>
  /** Lets a caller in, or refuses (429). */
  enter(caller: Caller, request: IncomingMessage): Entry | Promise<Entry>
  onError(error: unknown, requestId: string): void
  /** Routes of other modules. */
  parts?: readonly RestPart[]
}

/** Adds routes; `forAccount` lets nobody through to a handler but the holder of an account. */
export type RestPart = (api: FastifyInstance, forAccount: (handler: Handler) => RouteHandlerMethod) => void

interface Entry {
  /** Called when the request is over, however it ended. */
  leave(): void
}

export interface Call {
  caller: ApiCaller
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, unknown>>
  body: Readonly<Record<string, unknown>>
  headers: IncomingHttpHeaders
}

/** Answers with a record, or with the reply that it has begun to send itself. */
type Handler = (call: Call, reply: FastifyReply) => Promise<JsonObject | FastifyReply>

/** The REST interface of the dashboard, under `/api`. Each handler parses, calls a verb, and shapes its result. */
export function mountRest(server: FastifyInstance, options: RestOptions): void {
  // Registered parts come up with the server; `listen` waits for them.
  void server.register(
    (api, _options, done) => {
      readBodies(api)
      answerErrors(api, options)
      keepToOwnOrigin(api, options)
      mountSignIn(api, options)
      mountAccount(api, options)
      mountAdministration(api, options)
      for (const mount of options.parts ?? []) mount(api, (handler) => answerCaller(options, handler))
      done()
    },
    { prefix: '/api' },
  )
}

function mountSignIn(api: FastifyInstance, options: RestOptions): void {
  const { store, sessions, notices, baseUrl } = options
  const forAnybody = (handler: (request: FastifyRequest, reply: FastifyReply) => Promise<JsonObject>) =>
    async function answer(request: FastifyRequest, reply: FastifyReply) {
      return within(options, { kind: 'anonymous' }, request, () => handler(request, reply))
    }

  api.post(
    '/sign-in/request',
    forAnybody(async (request) => {
      await requestSignIn(store, { email: readEmail(bodyOf(request)), baseUrl: baseUrl() })
      return { success: true, message: 'A sign-in link is on its way, if mail can reach this address.' }
    }),
  )
  api.post(
    '/sign-in',
    forAnybody(async (request, reply) => {
      // Otherwise another site could sign its visitor in to an account of its own.
      refuseOtherPages(request.headers, baseUrl())
      void reply.removeHeader('access-control-allow-origin')
      const link = readSignInToken(bodyOf(request))
      await sessions.prepare()
      const account = await redeemSignIn(store, link)
      const token = await sessions.create(account.id)
      void reply.header('set-cookie', sessionCookie(baseUrl(), token))
      return { token, expires_in: SESSION_SECONDS, account: showAccount(account) }
    }),
  )
  api.post(
    '/sign-out',
    forAnybody(async (request, reply) => {
      const token = readCookie(request.headers, baseUrl())
      if (token !== undefined) {
        requireOwnPage(request.headers, baseUrl())
        const ended = await sessions.end(token)
        if (ended !== undefined) notices.publish('session', ended)
      }
      void reply.header('set-cookie', endedCookie(baseUrl()))
      return { success: true }
    }),
  )
}

function mountAccount(api: FastifyInstance, options: RestOptions): void {
  const { store, notices } = options
  const forAccount = (handler: Handler) => answerCaller(options, handler)

  api.get(
    '/account',
    forAccount(async ({ caller }) => {
      const account = await findAccount(store.db, caller.accountId)
      if (!account) throw new AppError('not_found', 'Account not found.')
      return { account: showAccount(account) }
    }),
  )
  api.get(
    '/credits',
    forAccount(({ caller }) => readCredits(store, caller.accountId)),
  )
  api.get(
    '/keys',
    forAccount(async ({ caller }) => {
      const keys = await listKeys(store.db, caller.accountId, LISTED_MAX)
      return { keys: keys.map((key) => showKey(key, store.clock.now())) }
    }),
  )
  api.post(
    '/keys',
    forAccount(async ({ caller: { accountId, restsOn }, body }, reply) => {
      const { text, key } = await issueKey(store, { ...readNewKey(body), accountId, actor: accountId, restsOn })
      void reply.code(201)
      return { key: text, ...showKey(key, store.clock.now()) }
    }),
  )
  api.delete(
    '/keys/:id',
    forAccount(async ({ caller: { accountId }, params }) => {
      const keyId = params.id!
      notices.publish('key', await revokeKey(store, { accountId, keyId, actor: accountId }))
      return { success: true, id: keyId }
    }),
  )
  api.post(
    '/keys/:id/rotate',
    forAccount(async ({ caller: { accountId, restsOn }, params, body }, reply) => {
      const overlapMilliseconds = readOverlap(body)
      const overlap = overlapMilliseconds === undefined ? {} : { overlapMilliseconds }
      const rotated = await rotateKey(store, { accountId, keyId: params.id!, actor: accountId, restsOn, ...overlap })
      notices.publish('key', rotated.oldHash)
      void reply.code(201)
      return { key: rotated.text, ...showKey(rotated.key, store.clock.now()), replaces: params.id! }
    }),
  )
}

function mountAdministration(api: FastifyInstance, options: RestOptions): void {
  const { store, listMails, listJobs } = options
  const forAdministrator = (handler: Handler) =>
    answerCaller(options, (call, reply) => {
      if (call.caller.role !== 'admin') throw new AppError('feature_disabled', 'Only administrators may see this.')
      return handler(call, reply)
    })

  api.get(
    '/accounts',
    forAdministrator(async () => ({ accounts: (await listAccounts(store.db, LISTED_MAX)).map(showAccount) })),
  )
  api.get(
    '/mails',
    forAdministrator(async () => ({ mails: (await listMails(LISTED_MAX)).map(showMail) })),
  )
  api.get(
    '/jobs',
    forAdministrator(async ({ query }) => {
      const jobs = await listJobs({ ...readJobStatus(query), limit: LISTED_MAX })
      return { jobs: jobs.map(showJob) }
    }),
  )
}

/** Identifies the caller before anything else of the request is looked at. */
function answerCaller(options: RestOptions, handler: Handler) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<JsonObject | FastifyReply> => {
    const { method, url, headers } = request
    const presented = { method, url, headers, body: findBody(request) }
    const caller = await identifyApiCaller(options, presented).catch((error: unknown) =>
      // Guessing credentials counts against whoever guesses.
      within(options, { kind: 'anonymous' }, request, () => Promise.reject<ApiCaller>(error)),
    )
    const params = toIds(request.params as Record<string, string>)
    const query = request.query as Record<string, unknown>
    return within(options, caller, request, () => {
      const { key: _credential, ...body } = bodyOf(request)
      return handler({ caller, params, query, headers, body }, reply)
    })
  }
}

async function within<T>(
  { enter }: RestOptions,
  caller: Caller,
  { raw }: FastifyRequest,
  run: () => Promise<T>,
): Promise<T> {
  const { leave } = await enter(caller, raw)
  try {
    return await run()
  } finally {
    leave()
  }
}

/** Bodies are JSON whatever their type says, as at the RPC endpoint. */
export function readBodies(api: FastifyInstance): void {
  api.removeAllContentTypeParsers()
  api.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text))
}

export function bodyOf({ body }: FastifyRequest): Record<string, unknown> {
  return typeof body === 'string' && body !== '' ? parseBody(body) : {}
}

/** The body, where it can be read: who cannot say who they are learns nothing of what is wrong with it. */
function findBody(request: FastifyRequest): Record<string, unknown> | undefined {
  try {
    return bodyOf(request)
  } catch {
    // Read again, and refused, once the caller is known.
    return undefined
  }
}

/** What a cookie opens is not for other origins to read, refusals included. */
function keepToOwnOrigin(api: FastifyInstance, { baseUrl }: RestOptions): void {
  api.addHook('onRequest', (request, reply, done) => {
    void reply.header('cache-control', 'no-store')
    if (readCookie(request.headers, baseUrl()) !== undefined) void reply.removeHeader('access-control-allow-origin')
    done()
  })
}

export function answerErrors(api: FastifyInstance, { onError }: Pick<RestOptions, 'onError'>): void {
  api.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const { status, body, retryAfterSeconds } = toErrorReply(fromFastify(error))
    if (status >= 500) onError(error, request.id)
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds)
    return reply.code(status).send(body)
  })
}

/** The server's own words repeat parts of the request. */
export function fromFastify(error: Error & { statusCode?: number }): Error {
  if (error instanceof AppError || error.statusCode === undefined || error.statusCode >= 500) return error
  if (error.statusCode === 413) return new AppError('body_too_large', 'The body is too large.')
  return new AppError('invalid_request', 'The request could not be read.')
}

const JOB_STATUSES = ['ready', 'running', 'done', 'dead']

function readJobStatus({ status }: Readonly<Record<string, unknown>>): { status?: string } {
  if (status === undefined) return {}
  if (typeof status === 'string' && JOB_STATUSES.includes(status)) return { status }
  const text = `status must be one of ${JOB_STATUSES.join(', ')}.`
  throw new AppError('invalid_request', text, { body: { field: 'status' } })
}

const toTime = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds).toISOString())

function showAccount({ id, email, role, createdAt }: Account): JsonObject {
  return { id, email, role, created_at: toTime(createdAt) }
}

function showKey(key: ApiKey, now: number): JsonObject {
  const expired = key.expiresAt !== null && key.expiresAt <= now
  return {
    id: key.id,
    kind: key.kind,
    start: key.start,
    name: key.name,
    origins: key.origins,
    status: key.revokedAt !== null ? 'revoked' : expired ? 'expired' : 'live',
    created_at: toTime(key.createdAt),
    expires_at: toTime(key.expiresAt),
    revoked_at: toTime(key.revokedAt),
    last_used_at: toTime(key.lastUsedAt),
  }
}

function showMail({ id, recipient, subject, text, createdAt }: KeptMail): JsonObject {
  return { id, recipient, subject, text, created_at: toTime(createdAt) }
}

function showJob({ id, kind, status, attempts, runAt, lastError }: ShownJob): JsonObject {
  return { id, kind, status, attempts, run_at: toTime(runAt), last_error: lastError }
}
