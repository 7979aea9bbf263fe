import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { type Tariffs, charged } from '../guard/charge.ts'
import { randomId } from '../kernel/api-key.ts'
import type { Caller } from '../kernel/ctx.ts'
import { AppError } from '../kernel/errors.ts'
import { canBeId, isFresh } from '../kernel/route.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import { may, requireEveryScope, requirePermission } from '../kernel/rights.ts'
import type { Form, FrameProps, OpenPage, Outcome, Page, PageRequest } from '../kernel/page.ts'
import type { Notices, SecretBox } from '../kernel/ports.ts'
import { refuseNul } from '../kernel/refuse-nul.ts'
import { toFormErrors } from '../kernel/resource/wrong-fields.ts'
import { type PictureUploads, SESSION_SECONDS, type Session, findShop } from '../modules/accounts/index.ts'
import { ProblemPage } from '../web/dashboard/problem-page.tsx'
import { renderPage } from '../web/layout.tsx'
import type { DeveloperAccess } from './developer-access.ts'
import { fromFastify, toErrorReply } from './errors.ts'
import type { EventStreams } from './event-stream.ts'
import { type SentFields, csrfOf, formExpired, onceForForm, requireToken } from './forms.ts'
import { LivePages } from './live-pages.ts'
import { PAGE_HEADERS } from './page-headers.ts'
import { acceptForms, fieldsAndFilesOf, fieldsOf, takePictures } from './sent-files.ts'
import {
  type SessionOptions,
  endedCookie,
  readCookie,
  refuseOtherPages,
  requireOwnPage,
  sessionCookie,
  toSessionCaller,
  spenderOf,
} from './session.ts'
import { Ways, countMenu, toHref, toMenu } from './ways.ts'

const TOKEN_LENGTH = 22
const RENEWED_BEFORE = (SESSION_SECONDS * 1000) / 2
const SIGN_IN = '/dashboard/sign-in'
const HEADERS = { ...PAGE_HEADERS, 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' }

type DashboardPage = Page | Form | OpenPage

interface DashboardOptions extends Pick<SessionOptions, 'sessions' | 'baseUrl'> {
  pages: readonly DashboardPage[]
  store: StoreCtx
  secrets: SecretBox
  notices: Pick<Notices, 'subscribe' | 'onGap'>
  streams: EventStreams
  tariffs: Tariffs
  uploads: PictureUploads
  devnet: boolean
  developers: Pick<DeveloperAccess, 'admits'>
  ipOf(request: IncomingMessage): string
  enter(caller: Caller, request: IncomingMessage): { leave(): void } | Promise<{ leave(): void }>
  onError(error: unknown, requestId: string): void
}

/** Serves the pages and forms that the modules declare, under `/dashboard`. */
export function mountDashboard(server: FastifyInstance, options: DashboardOptions): void {
  void server.register(
    (scope, _options, done) => {
      new Dashboard(scope, options).mount()
      done()
    },
    { prefix: '/dashboard' },
  )
}

/** A request with its session. */
interface SignedIn {
  session: Session
  request: PageRequest
}

/**
 * The only entry to the dashboard: checks the session for every page, and for every form also the page that sent it.
 */
class Dashboard {
  readonly #server: FastifyInstance
  readonly #options: DashboardOptions
  readonly #menu: ReturnType<typeof toMenu>
  readonly #ways: Ways
  readonly #live: LivePages

  constructor(server: FastifyInstance, options: DashboardOptions) {
    this.#server = server
    this.#options = options
    this.#menu = toMenu(options.pages)
    this.#ways = new Ways(options.pages)
    const { sessions, notices, store } = options
    this.#live = new LivePages({ sessions, notices, clock: store.clock, failures: store.failures })
  }

  mount(): void {
    const { baseUrl, pages } = this.#options
    acceptForms(this.#server)
    this.#server.addHook('onRequest', (request, reply, done) => {
      void reply.headers(HEADERS)
      // Other origins must not read pages that a cookie gives access to.
      if (readCookie(request.headers, baseUrl()) !== undefined) void reply.removeHeader('access-control-allow-origin')
      if (baseUrl().startsWith('https:')) void reply.header('strict-transport-security', 'max-age=63072000')
      done()
    })
    this.#server.setErrorHandler((error: Error, request, reply) => this.#explain(error, request, reply))
    this.#server.setNotFoundHandler((request, reply) => this.#explain(noSuchPage(), request, reply))
    this.#server.post('/sign-out', (request, reply) => this.#signOut(request, reply))
    // No HEAD route: the response would never end.
    this.#server.get('/live', { exposeHeadRoute: false }, (request, reply) => this.#follow(request, reply))
    for (const page of pages) {
      if ('render' in page) this.#mountPage(page)
      else if ('run' in page) this.#mountForm(page)
      else this.#mountOpen(page)
    }
  }

  #mountPage(page: Page): void {
    this.#server.get(page.path, async (request, reply) => {
      const signedIn = await this.#let(page, request, reply)
      if (!signedIn) return reply
      return this.#within(spenderOf(signedIn.request.caller), request, async () =>
        send(reply, await page.render(signedIn.request)),
      )
    })
  }

  #mountForm(form: Form): void {
    this.#server.post(form.path, async (request, reply) => {
      requireOwnPage(request.headers, this.#options.baseUrl())
      const signedIn = await this.#let(form, request, reply)
      if (!signedIn) return reply
      const fields = await fieldsAndFilesOf(request)
      const moment = { now: this.#options.store.clock.now(), devnet: this.#options.devnet }
      return this.#within(spenderOf(signedIn.request.caller), request, async () => {
        let faults: Readonly<Record<string, string>> = {}
        try {
          // A refusal is shown on the form's own page, so that the visitor's input is not lost.
          requireToken(signedIn.session, fields.get('csrf'))
          if (form.proof && !isFresh(signedIn.request.caller, moment)) {
            return reply.redirect(`/dashboard/prove?next=${encodeURIComponent(signedIn.request.frame.section)}`, 303)
          }
          faults = await takePictures(this.#options.uploads, form, signedIn.request.accountId, fields)
          return await this.#run(form, { page: signedIn.request, fields, url: request.url, reply })
        } catch (error) {
          if (!(error instanceof AppError) || error.status >= 500) throw error
          const emptied = Object.fromEntries(Object.keys(faults).map((name) => [name, '']))
          const state = { values: { ...fields.typed(), ...emptied }, ...toFormErrors(error, faults) }
          return send(reply.code(error.status), await form.again(signedIn.request, state))
        }
      })
    })
  }

  /** Forms for visitors who are not signed in must come from our own pages, too. */
  #mountOpen({ method, path, answer }: OpenPage): void {
    const { baseUrl, ipOf } = this.#options
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      if (method === 'POST') requireOwnPage(request.headers, baseUrl())
      return this.#within({ kind: 'anonymous' }, request, async () => {
        const answered = await answer({
          ip: ipOf(request.raw),
          query: readQuery(request),
          fields: fieldsOf(request),
        })
        if ('page' in answered) {
          if (answered.retryAfterSeconds !== undefined) void reply.header('retry-after', answered.retryAfterSeconds)
          return send(reply.code(answered.status ?? 200), answered.page)
        }
        if (answered.session !== undefined) void reply.header('set-cookie', sessionCookie(baseUrl(), answered.session))
        return reply.redirect(answered.to, 303)
      })
    }
    this.#server.route({ method, url: path, handler })
  }

  /** Notifies an open page when there is something new to read. Only the cookie identifies the visitor. */
  async #follow(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { sessions, baseUrl, streams } = this.#options
    refuseOtherPages(request.headers, baseUrl())
    const token = readCookie(request.headers, baseUrl())
    const session = token === undefined ? undefined : await sessions.read(token)
    if (!session || session.mustEnrol) throw new AppError('key_required', 'Sign in first.')
    requireEveryScope(session)
    // A client that does not expect a stream would wait for ever for its end.
    if (!/\btext\/event-stream\b/.test(request.headers.accept ?? '')) {
      throw new AppError('invalid_request', 'This is an event stream. Send Accept: text/event-stream.')
    }
    const readAt = Number(readQuery(request).since ?? '0')
    const stream = this.#live.follow(session, token!, readAt)
    return this.#within(spenderOf(toSessionCaller(session)), request, async () =>
      streams.answer(reply, stream, { byCookie: true }),
    )
  }

  async #signOut(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { sessions, baseUrl } = this.#options
    requireOwnPage(request.headers, baseUrl())
    return this.#within({ kind: 'anonymous' }, request, async () => {
      const token = readCookie(request.headers, baseUrl())
      // People of a suspended account have no valid session any more, but must still be able to sign out.
      const session = token === undefined ? undefined : await sessions.read(token).catch(unlessSuspended)
      if (session) requireToken(session, fieldsOf(request).get('csrf'))
      if (token !== undefined) await sessions.end(token)
      return reply.header('set-cookie', endedCookie(baseUrl())).redirect(SIGN_IN, 303)
    })
  }

  async #run(
    form: Form,
    { page, fields, url, reply }: { page: PageRequest; fields: SentFields; url: string; reply: FastifyReply },
  ): Promise<FastifyReply> {
    const { store, secrets, baseUrl } = this.#options
    const token = fields.get('form_token')
    if (!/^\w{22}$/.test(token)) throw formExpired()
    const sent = { accountId: page.accountId, path: url, token, fields: Object.fromEntries(allOf(fields)) }
    const outcome = (await onceForForm({ ...store, secrets }, sent, async (idempotency) => {
      const done = await form.run(page, fields, idempotency)
      if (!('to' in done)) return { shown: done.shown }
      // The session token goes only to the client that sent the form first, and is stored nowhere.
      if (done.session !== undefined) void reply.header('set-cookie', sessionCookie(baseUrl(), done.session))
      return { to: done.to }
    })) as Outcome
    if ('to' in outcome) return reply.redirect(outcome.to, 303)
    return send(reply, await form.show!(page, outcome.shown))
  }

  /** Admits a signed-in visitor, and redirects others to the sign-in page. */
  async #let(page: Page | Form, request: FastifyRequest, reply: FastifyReply): Promise<SignedIn | undefined> {
    const { sessions, baseUrl, store } = this.#options
    const token = readCookie(request.headers, baseUrl())
    const session = token === undefined ? undefined : await sessions.read(token)
    if (!session) {
      // The path without its query, into which a client may have put a key.
      const next = request.method === 'GET' ? request.url.split('?')[0]! : '/dashboard'
      return void reply.redirect(next === '/dashboard' ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(next)}`, 303)
    }
    if (session.mustEnrol && !page.unenrolled) return void reply.redirect('/dashboard/security', 303)
    // A key with limited scopes cannot sign in, so such a session should not exist.
    requireEveryScope(session)
    if (session.expiresAt - store.clock.now() < RENEWED_BEFORE && request.method === 'GET') {
      const renewed = await sessions.renew(session)
      if (renewed !== undefined) void reply.header('set-cookie', sessionCookie(baseUrl(), renewed))
    }
    const asked = await this.#toPageRequest(page, session, request)
    if (page.permission !== 'none' && !this.#ways.admits(page, asked.caller)) {
      // Redirects a person who may not see the first page to the first page that they may see.
      if (page.path === '/') return void reply.redirect(asked.frame.menu[0]!.href, 303)
      requirePermission(asked.caller, page.permission, this.#ways.degreeOf(page))
    }
    return { session, request: asked }
  }

  async #toPageRequest(page: Page | Form, session: Session, request: FastifyRequest): Promise<PageRequest> {
    const { path, section = path, access, done = {} } = page
    const { store, devnet, developers, tariffs } = this.#options
    const { account, member } = session
    const caller = toSessionCaller(session)
    const { accountId, role, memberRole } = caller
    const isAdmin = role === 'admin'
    const plays = devnet && developers.admits(request.raw, role)
    // For everybody else, a page for administrators does not exist.
    const admits = (wanted: Page['access']) => wanted === undefined || (wanted === 'administrator' ? isAdmin : plays)
    if (!admits(access)) throw noSuchPage()
    const query = readQuery(request)
    const text = Object.hasOwn(done, query.done ?? '') ? done[query.done!] : undefined
    const frame: FrameProps = {
      section: toHref(section),
      isWithin: section !== path,
      shop: await findShop(store.db, accountId),
      menu: await countMenu(
        this.#menu.filter((entry) => admits(entry.access) && this.#ways.opens(caller, 'GET', entry.href)),
        accountId,
      ),
      account,
      member: member && { id: member.id, email: member.email, role: memberRole! },
      opens: (method, href) => this.#ways.opens(caller, method, href),
      csrf: csrfOf(session),
      formToken: randomId(store.random, TOKEN_LENGTH),
      devnet,
      plays,
      // The answer to a form cannot be read again at its address.
      readAt: request.method === 'GET' ? store.clock.now() : undefined,
      notice: text === undefined ? undefined : { kind: 'done', text },
      guide: this.#menu.find(({ href }) => href === toHref(section))?.guide,
    }
    const params = request.params as Record<string, string>
    if (!Object.values(params).every(canBeId)) throw noSuchPage()
    return {
      accountId,
      isAdmin,
      caller,
      may: (permission, degree = 'all') => may(caller, permission, degree),
      // Charged to the account, so the network address is not needed.
      charged: (meter, run) => charged({ store, caller, ip: '', tariffs }, meter, run),
      frame,
      params,
      query,
    }
  }

  async #within<T>(caller: Caller, { raw }: FastifyRequest, run: () => Promise<T>): Promise<T> {
    const { leave } = await this.#options.enter(caller, raw)
    try {
      return await run()
    } finally {
      leave()
    }
  }

  #explain(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { status, body, retryAfterSeconds, isFailure } = toErrorReply(fromFastify(error))
    if (isFailure) this.#options.onError(error, request.id)
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds)
    const page = <ProblemPage status={status} text={String(body.error)} devnet={this.#options.devnet} />
    return send(reply.code(status), page)
  }
}

function send(reply: FastifyReply, page: VNode): FastifyReply {
  // Set again, because the server removes this header from error responses.
  return reply.type(PAGE_HEADERS['content-type']).send(renderPage(page))
}

const noSuchPage = () => new AppError('not_found', 'There is no such page.')

/** The fields that were sent; several values of one name are joined into one text. */
function allOf(fields: SentFields): [string, string][] {
  return Object.keys(fields.typed()).map((name) => [name, JSON.stringify(fields.all(name))])
}

/** One text for each name; the first of several values counts. */
function readQuery({ query }: FastifyRequest): Record<string, string> {
  const entries = Object.entries(query as Record<string, unknown>).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? (value as unknown[])[0] : value,
  ])
  return refuseNul(
    Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
  )
}

function unlessSuspended(error: unknown): undefined {
  if (!(error instanceof AppError && error.code === 'account_suspended')) throw error
}
