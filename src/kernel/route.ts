import type { VNode } from 'preact'
import type { Caller } from './ctx.ts'
import { AppError } from './errors.ts'
import type { Idempotency } from './idempotency.ts'
import type { Degree, Permission, Scope } from './rights.ts'
import type { JsonObject } from './shape.ts'

/**
 * Who may use a route. - `open`: anybody, counted only if the route has a limit of its own. - `anyone`: anybody,
 * counted against the address like a call. - `developer`: a caller who may act as payer, merchant and network on the
 * development ledger; from a browser only through our own pages. - `account`: the holder of a secret key or a session,
 * counted against the account. - `administrator`: the same for an administrator's account.
 */
export type Access = 'open' | 'anyone' | 'developer' | 'account' | 'administrator'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A limit shared by the routes of one bucket, separate from the limits of calls. Checked before the body is read. */
export interface RouteLimit {
  bucket: string
  /** Requests a minute from one address; 0 means no limit. */
  perMinute: number
  /** Requests with a secret key are counted by account instead; 0 means no limit. */
  perMinuteOfAccount?: number
  /** Whether answers report the limit in their headers. */
  reported?: true
  refuse(spent: SpentLimit, params: Params): AppError
}

interface SpentLimit {
  by: 'address' | 'account'
  perMinute: number
  retryAfterSeconds: number
}

type Params = Readonly<Record<string, string>>

/** The function of a route; the type of its request depends on who may use it. */
export interface Run<R> {
  run(request: R): Promise<Reply> | Reply
  /** A page for an error of `run`; undefined if the usual refusal is enough. */
  problem?(refusal: Refusal, request: R): ShownPage | undefined | Promise<ShownPage | undefined>
}

interface Placed {
  method: Method | readonly Method[]
  /** The full path, as a caller writes it: `/api/checkouts/:id`. */
  path: string
  limit?: RouteLimit
  /** Whether to refuse requests that a page of another site made the browser send. */
  ownPagesOnly?: true
  bodyBytesMax?: number
  /** Whether caches between client and gateway may keep the answer. */
  cacheable?: true
  /** Whether it answers with a stream of events. Then there is no HEAD route, whose response would never end. */
  stream?: true
  /** Further members of a refusal. */
  explain?(error: Error): JsonObject
}

/** One route of the server as data; only `src/http/routes.ts` knows how it is served. */
export type Route =
  | ({ access: 'open' | 'anyone' | 'developer' } & Placed & Run<RouteRequest>)
  | ({ access: 'account' | 'administrator' } & Needed & Placed & Run<AccountRequest>)

interface Needed {
  /** The scope that a secret key requires. */
  scope: Scope
  /**
   * The permission that people require, if it differs from the scope; a key then requires all scopes. `none` is for
   * everybody who is signed in.
   */
  permission?: Permission | 'none'
  /** The degree of permission, if a GET requires more than `see`. */
  degree?: Degree
  /**
   * It moves money, makes keys or changes people, so a signed-in person must have confirmed their identity recently.
   */
  proof?: true
  /** Whether it may also be used by people who must first add a passkey. */
  unenrolled?: true
}

export interface RouteRequest {
  id: string
  /** The client's network address, determined with trusted proxies only. */
  ip: string
  params: Params
  query: Readonly<Record<string, unknown>>
  /** A header by its name in lower case. */
  header(name: string): string | undefined
  /**
   * The members of a JSON body, whatever its content type, without `key`. A missing body is empty, or refused if it is
   * needed.
   */
  body(needed?: 'needed'): Fields
  /** Whether a form on a page sent this. */
  isForm: boolean
  /** The fields of a form, or of a JSON body. */
  fields(): Fields
  /** The token of the session in the cookie, which only our own pages may send. */
  ownSession(): string | undefined
  mayPlay(): Promise<boolean>
  /** Sets a header of the answer, even if the answer is a refusal. */
  setHeader(name: string, value: string): void
}

export type Fields = Readonly<Record<string, unknown>>

/** A caller who acts for an account. A session may do what its owner's secret key may do. */
export type AccountCaller = Extract<Caller, { kind: 'account' }> & {
  /**
   * The key that was used: the caller's own, or the one that began the session. Before anything permanent is made, it
   * must still be valid.
   */
  restsOn?: string | undefined
  /** The signed-in person; undefined if a key calls. */
  session?: SignedIn | undefined
}

/** How people confirm their identity. */
export type ProvedBy = 'mail' | 'key' | 'passkey' | 'recovery code'

/** A session of a person. */
export interface SignedIn {
  id: string
  /** The member; undefined for a person who signed in with a key. */
  member: { id: string; email: string } | undefined
  beganAt: number
  /** When they last confirmed their identity. */
  provedAt: number
  /** How they did so. */
  provedBy: ProvedBy
  /** Whether they must add a passkey before anything else. */
  mustEnrol: boolean
}

export interface AccountRequest extends RouteRequest {
  caller: AccountCaller
  /**
   * Runs something once for each `Idempotency-Key` of the account; without a key it just runs. `action` is stored and
   * must not change. Read all fields before calling this: a refusal inside would be stored, and would also answer the
   * corrected request.
   */
  once(action: string, run: (idempotency: Idempotency | undefined) => Promise<JsonObject>): Promise<JsonObject>
}

export interface Refusal {
  status: number
  body: JsonObject
}

type Headers = Readonly<Record<string, string>>

export interface ShownPage {
  page: VNode
  /** The one origin that may frame it. */
  frame?: string | undefined
  headers?: Headers
}

export type Reply = {
  status?: number
  headers?: Headers
  /**
   * Set if the answer is the same for everybody: the module returns the same object each time, and its bytes are made
   * once.
   */
  isShared?: true
} & (
  | {
      json: unknown
      /** The token of a session that the browser should keep; null ends the current session. */
      session?: string | null
    }
  | ShownPage
  | {
      goTo: string
      /** Whether to send it with the headers of a page. */
      asPage?: true
    }
  | { bytes: Uint8Array; type: string }
  | { rows: AsyncIterable<string>; type: string }
  | { events: EventStream }
)

export interface EventStream {
  /**
   * Begins the stream, or throws a refusal. It must not send anything before it has returned. Returns a function to
   * call when the stream has ended on either side.
   */
  open(out: StreamEnd): () => void
}

export interface StreamEnd {
  send(event: { id: string; name: string; data: string }): void
  end(): void
}

const FRESH_MILLISECONDS = 15 * 60_000

interface Moment {
  now: number
  /** Whether this is a development ledger. */
  devnet: boolean
}

/**
 * Whether a person has recently confirmed their identity; signing in counts. Programs prove theirs with each request.
 * On the development ledger people who signed in with a key are never asked, because nothing there has any value.
 */
export function isFresh({ session }: AccountCaller, { now, devnet }: Moment): boolean {
  if (!session || (devnet && !session.member)) return true
  return now - session.provedAt <= FRESH_MILLISECONDS
}

export function requireFresh(caller: AccountCaller, moment: Moment): void {
  if (isFresh(caller, moment)) return
  throw new AppError('fresh_proof_required', 'Prove that it is you: sign in again, or confirm it in the dashboard.')
}

/**
 * Whether a text can be one of our ids, or an address. Otherwise nothing has this id, and the store is not asked:
 * PostgreSQL refuses some characters.
 */
export const canBeId = (text: string): boolean => /^[\w-]{1,100}$/.test(text.trim())

/** The parameters of a path as ids, checked before anything else. */
export function toIds(params: Readonly<Record<string, string>>): Record<string, string> {
  if (!Object.values(params).every(canBeId)) throw new AppError('not_found', 'Nothing has this id.')
  return { ...params }
}

/** Whether a program requests a public page: the address says so, or the request accepts only JSON. */
export function wantsJson({ query: { json }, header }: Pick<RouteRequest, 'query' | 'header'>): boolean {
  const accept = header('accept') ?? ''
  return json === 'true' || json === '1' || (/\bapplication\/json\b/.test(accept) && !/text\/html/.test(accept))
}
