import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { randomId } from '../kernel/api-key.ts'
import type { Caller } from '../kernel/ctx.ts'
import type { Deed } from '../kernel/deed.ts'
import { AppError } from '../kernel/errors.ts'
import { canBeId } from '../kernel/id-shape.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import type { Notices, SecretBox } from '../kernel/ports.ts'
import type { JsonObject } from '../kernel/shape.ts'
import { SESSION_SECONDS, type Session } from '../modules/accounts/index.ts'
import type { Filled } from '../web/dashboard/form.tsx'
import type { FrameProps } from '../web/dashboard/frame.tsx'
import { ProblemPage } from '../web/dashboard/problem-page.tsx'
import { renderPage } from '../web/layout.tsx'
import type { DeveloperDoor } from './developer-door.ts'
import { toErrorReply } from './errors.ts'
import { PAGE_HEADERS } from './page-headers.ts'
import { fromFastify } from './rest.ts'
import { type SessionOptions, readCookie, requireOwnPage, sessionCookie } from './session.ts'
import { FormFields } from './form-fields.ts'
import { onceForForm } from './once-form.ts'

const TOKEN_LENGTH = 22
const FORM_BYTES_MAX = 64 * 1024
const RENEWED_BEFORE = (SESSION_SECONDS * 1000) / 2

type Page = Parameters<typeof renderPage>[0]

export interface DoorOptions extends SessionOptions {
  store: StoreCtx
  secrets: SecretBox
  notices: Pick<Notices, 'publish'>
  devnet: boolean
  developers: DeveloperDoor
  enter(caller: Caller, request: IncomingMessage): { leave(): void } | Promise<{ leave(): void }>
  onError(error: unknown, requestId: string): void
}

/** A request of somebody who is signed in. */
export interface Visit {
  accountId: string
  isAdmin: boolean
  session: Session
  frame: FrameProps
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
}

interface Place {
  /** Below `/dashboard`. */
  path: string
  /** The entry of the menu that is lit; the path itself where nothing is said. */
  section?: string
  admin?: boolean
  /** For those who may play with the embedded ledger. */
  play?: boolean
  /** What a redirect here may say was done, by its word in `?done=`. */
  done?: Readonly<Record<string, string>>
}

/** Where a form leads, or what it shows once: that page is not an address, because nobody shall find it again. */
type Outcome = { to: string } | { shown: JsonObject }

interface FormPlace extends Place {
  run(visit: Visit, fields: FormFields, deed: Deed): Promise<Outcome>
  show?(visit: Visit, shown: JsonObject): Page | Promise<Page>
  /** The page that holds the form, with what was typed and what was wrong. */
  again(visit: Visit, filled: Filled): Promise<Page>
}

const HEADERS = { ...PAGE_HEADERS, 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' }

/** The one way into the dashboard: every page asks who is there, and every form where it comes from. */
export class Door {
  readonly #server: FastifyInstance
  readonly #options: DoorOptions

  constructor(server: FastifyInstance, options: DoorOptions) {
    this.#server = server
    this.#options = options
    server.removeAllContentTypeParsers()
    server.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
      (_request, text, done) => done(null, text),
    )
    server.addHook('onRequest', (request, reply, done) => {
      void reply.headers(HEADERS)
      // What a cookie opens is not for other origins to read.
      if (readCookie(request.headers, options.baseUrl()) !== undefined) {
        void reply.removeHeader('access-control-allow-origin')
      }
      if (options.baseUrl().startsWith('https:')) void reply.header('strict-transport-security', 'max-age=63072000')
      done()
    })
    server.setErrorHandler((error: Error, request, reply) => this.#explain(error, request, reply))
    server.setNotFoundHandler((request, reply) =>
      this.#explain(new AppError('not_found', 'There is no such page.'), request, reply),
    )
  }

  /** A page that somebody signed in may see. */
  page(place: Place, render: (visit: Visit) => Page | Promise<Page>): void {
    this.#server.get(place.path, async (request, reply) => {
      const visit = await this.#let(place, request, reply)
      if (!visit) return reply
      return this.#within(visit, request, async () => this.#send(reply, await render(visit)))
    })
  }

  /** A form on such a page. */
  form(place: FormPlace): void {
    this.#server.post(place.path, async (request, reply) => {
      requireOwnPage(request.headers, this.#options.baseUrl())
      const visit = await this.#let(place, request, reply)
      if (!visit) return reply
      const fields = new FormFields(typeof request.body === 'string' ? request.body : '')
      requireToken(visit.session, fields.get('csrf'))
      return this.#within(visit, request, () => this.#answer(place, { visit, fields, request, reply }))
    })
  }

  /** A page or a form of somebody who is not signed in; forms come from our own pages here, too. */
  open(
    method: 'GET' | 'POST',
    path: string,
    handler: (request: FastifyRequest, fields: FormFields, reply: FastifyReply) => Promise<Page | { to: string }>,
  ): void {
    this.#server.route({
      method,
      url: path,
      handler: async (request, reply) => {
        if (method === 'POST') requireOwnPage(request.headers, this.#options.baseUrl())
        const fields = new FormFields(typeof request.body === 'string' ? request.body : '')
        const { leave } = await this.#options.enter({ kind: 'anonymous' }, request.raw)
        try {
          const answer = await handler(request, fields, reply)
          return 'to' in answer ? reply.redirect(answer.to, 303) : this.#send(reply, answer)
        } finally {
          leave()
        }
      },
    })
  }

  async #answer(
    place: FormPlace,
    sent: { visit: Visit; fields: FormFields; request: FastifyRequest; reply: FastifyReply },
  ): Promise<FastifyReply> {
    const { visit, fields, request, reply } = sent
    const { store, secrets } = this.#options
    try {
      const token = fields.get('form_token')
      if (!/^\w{22}$/.test(token)) throw formExpired()
      const form = { accountId: visit.accountId, path: request.url, token, fields: Object.fromEntries(allOf(fields)) }
      const outcome = (await onceForForm({ ...store, secrets }, form, async (deed) => {
        const done = await place.run(visit, fields, deed)
        return 'to' in done ? { to: done.to } : { shown: done.shown }
      })) as Outcome
      if ('to' in outcome) return reply.redirect(outcome.to, 303)
      return this.#send(reply, await place.show!(visit, outcome.shown))
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      const { field, detail } = error.body
      // What programs read as one fixed text is told to people in detail.
      const text = typeof detail === 'string' ? detail : error.message
      const wrong = { field: typeof field === 'string' ? field : undefined, text }
      const page = await place.again(visit, { values: fields.typed(), error: wrong })
      return this.#send(reply.code(error.status), page)
    }
  }

  /** Who is there, or the way to sign in. */
  async #let(place: Place, request: FastifyRequest, reply: FastifyReply): Promise<Visit | undefined> {
    const { sessions, baseUrl, store } = this.#options
    const token = readCookie(request.headers, baseUrl())
    const session = token === undefined ? undefined : await sessions.read(token)
    if (!session) {
      // Without its query, in which somebody may have put a key.
      const next = request.method === 'GET' ? request.url.split('?')[0]! : '/dashboard'
      void reply.redirect(next === '/dashboard' ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(next)}`, 303)
      return undefined
    }
    if (session.expiresAt - store.clock.now() < RENEWED_BEFORE && request.method === 'GET') {
      const renewed = await sessions.renew(session)
      if (renewed !== undefined) void reply.header('set-cookie', sessionCookie(baseUrl(), renewed))
    }
    return this.#visit(place, session, request)
  }

  #visit({ path, section = path, admin, play, done = {} }: Place, session: Session, request: FastifyRequest): Visit {
    const { store, devnet, developers } = this.#options
    const { account } = session
    const isAdmin = account.role === 'admin'
    // What only administrators see does not exist for others.
    const plays = devnet && developers.admits(request.raw, account.role)
    if ((admin === true && !isAdmin) || (play === true && !plays)) {
      throw new AppError('not_found', 'There is no such page.')
    }
    const query = readQuery(request)
    const text = Object.hasOwn(done, query.done ?? '') ? done[query.done!] : undefined
    const frame: FrameProps = {
      section: section === '' || section === '/' ? '/dashboard' : `/dashboard${section}`,
      account,
      csrf: csrfOf(session),
      formToken: randomId(store.random, TOKEN_LENGTH),
      devnet,
      plays,
      notice: text === undefined ? undefined : { kind: 'done', text },
    }
    const params = request.params as Record<string, string>
    if (!Object.values(params).every(canBeId)) throw new AppError('not_found', 'There is no such page.')
    return { accountId: account.id, isAdmin, session, frame, params, query }
  }

  async #within<T>({ session }: Visit, { raw }: FastifyRequest, run: () => Promise<T>): Promise<T> {
    const { id: accountId, role } = session.account
    const caller: Caller = { kind: 'account', accountId, role, prepaid: false, door: 'secret-key' }
    const { leave } = await this.#options.enter(caller, raw)
    try {
      return await run()
    } finally {
      leave()
    }
  }

  #send(reply: FastifyReply, page: Page): FastifyReply {
    // Said again, because the server takes it away from answers to mistakes.
    return reply.type(PAGE_HEADERS['content-type']).send(renderPage(page))
  }

  #explain(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { status, body, retryAfterSeconds } = toErrorReply(fromFastify(error))
    if (status >= 500) this.#options.onError(error, request.id)
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds)
    const page = <ProblemPage status={status} text={String(body.error)} devnet={this.#options.devnet} />
    return this.#send(reply.code(status), page)
  }
}

export const SIGN_IN = '/dashboard/sign-in'

const formExpired = () => new AppError('origin_not_allowed', 'This page was open for too long. Load it again.')

/** Known only to who has the cookie, which scripts and other sites cannot read. */
function csrfOf({ id }: Session): string {
  return createHash('sha256').update(`csrf ${id}`).digest('base64url')
}

/** Refuses a form that no page of this session has made. */
export function requireToken(session: Session, given: string): void {
  const wanted = Buffer.from(csrfOf(session))
  const sent = Buffer.from(given)
  if (sent.length !== wanted.length || !timingSafeEqual(sent, wanted)) throw formExpired()
}

/** What was sent, with all values of a name as one text. */
function allOf(fields: FormFields): [string, string][] {
  return Object.keys(fields.typed()).map((name) => [name, JSON.stringify(fields.all(name))])
}

/** One text for each name; a name that comes twice counts as its first. */
function readQuery({ query }: FastifyRequest): Record<string, string> {
  const entries = Object.entries(query as Record<string, unknown>).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? (value as unknown[])[0] : value,
  ])
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
