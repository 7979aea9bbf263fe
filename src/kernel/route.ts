import type { VNode } from 'preact'
import type { Caller } from './ctx.ts'
import type { Idempotency } from './idempotency.ts'
import type { AppError } from './errors.ts'
import type { Scope } from './scopes.ts'
import type { Degree, Permission } from './roles.ts'
import type { JsonObject } from './shape.ts'

/**
 * Who may come in.
 * - `open`: anybody, counted only where the route has a limit of its own.
 * - `anyone`: anybody, counted against their address as every call is.
 * - `developer`: a caller who may play payer, merchant and network on the development ledger, from no page but our own.
 * - `account`: the holder of a secret key or a session, counted against the account; `administrator`: of an administrator's.
 */
export type Door = 'open' | 'anyone' | 'developer' | 'account' | 'administrator'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A limit that routes of one bucket share, apart from the limits of calls. It holds before anything of a body is read. */
export interface RouteLimit {
  bucket: string
  /** Requests a minute from one address; 0 is no limit. */
  perMinute: number
  /** With a secret key requests are counted by its account instead; 0 is no limit. */
  perMinuteOfAccount?: number
  /** Whether answers say in their headers what is left. */
  told?: true
  refuse(spent: SpentLimit, params: Params): AppError
}

interface SpentLimit {
  by: 'address' | 'account'
  perMinute: number
  retryAfterSeconds: number
}

type Params = Readonly<Record<string, string>>

/** What runs behind a door, which says what its requests have. */
export interface Run<R> {
  run(request: R): Promise<Reply> | Reply
  /** A page for what went wrong in `run`; undefined where the usual refusal will do. */
  problem?(refusal: Refusal, request: R): ShownPage | undefined | Promise<ShownPage | undefined>
}

interface Placed {
  method: Method | readonly Method[]
  /** Whole, as a caller writes it: `/api/checkouts/:id`. */
  path: string
  limit?: RouteLimit
  /** What browsers send from pages of other sites is refused. */
  ownPagesOnly?: true
  bodyBytesMax?: number
  /** Answers may be kept by the caches on their way. */
  cacheable?: true
  /** It answers with a stream of events. No HEAD route: the response would never end. */
  stream?: true
  /** What a refusal says beside the usual. */
  explain?(error: Error): JsonObject
}

/** One address of the server as plain data: `src/http/routes.ts` alone knows how it is served. */
export type Route =
  | ({ door: 'open' | 'anyone' | 'developer' } & Placed & Run<RouteRequest>)
  | ({ door: 'account' | 'administrator' } & Needed & Placed & Run<AccountRequest>)

interface Needed {
  /** What a secret key must be let do. */
  scope: Scope
  /** What people must be let do, where that is not the scope; a key then needs all there is. `none` is for everybody who is signed in. */
  permission?: Permission | 'none'
  /** How much of it, where a GET needs more than to look. */
  degree?: Degree
  /** It moves money, makes keys or changes people: whoever is signed in must have proved lately who they are. */
  proof?: true
  /** Also for those who must add a passkey before anything else. */
  unenrolled?: true
}

export interface RouteRequest {
  id: string
  /** The client's network address, as far as it can be trusted. */
  ip: string
  params: Params
  query: Readonly<Record<string, unknown>>
  /** By its name in lower case. */
  header(name: string): string | undefined
  /** The members of a JSON body, whatever its type says; without `key`. Without a body there are none, or it is refused. */
  body(needed?: 'needed'): Fields
  /** Whether a page's form sent this. */
  isForm: boolean
  /** The fields of a form, or of a JSON body. */
  fields(): Fields
  /** The token of the session in the cookie, which only our own pages may use. */
  ownSession(): string | undefined
  mayPlay(): Promise<boolean>
  /** A header that the answer has, also when it is a refusal. */
  tell(name: string, value: string): void
}

export type Fields = Readonly<Record<string, unknown>>

/** The holder of an account: a session opens what its owner's secret key opens. */
export type AccountCaller = Extract<Caller, { kind: 'account' }> & {
  /** The key that all this rests on: its own, or that of its session. What is made for good needs it to be alive. */
  restsOn?: string | undefined
  /** Who is signed in; undefined where a key calls. */
  session?: SignedIn | undefined
}

/** What somebody has shown to be who they are. */
export type ProvedBy = 'mail' | 'key' | 'passkey' | 'recovery code'

/** Somebody who is signed in. */
export interface SignedIn {
  id: string
  /** As a member; undefined for who has signed in with a key. */
  member: { id: string; email: string } | undefined
  beganAt: number
  /** When they have last proved who they are. */
  provedAt: number
  /** How they have. */
  provedBy: ProvedBy
  /** Whether they must add a passkey before anything else. */
  mustEnrol: boolean
}

export interface AccountRequest extends RouteRequest {
  caller: AccountCaller
  /**
   * Runs once for each `Idempotency-Key` of the account; without one it simply runs. `action` is stored and stays. Fields are
   * read before: a refusal of wrong ones would be kept, and answer the corrected request.
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
  /** The same for everybody: the room gives this very object again, and its bytes are made once. */
  isShared?: true
} & (
  | {
      json: unknown
      /** The token of a session that the browser is to keep; null ends the one it has. */
      session?: string | null
    }
  | ShownPage
  | {
      goTo: string
      /** It stands in the place of a page, and has its headers. */
      asPage?: true
    }
  | { bytes: Uint8Array; type: string }
  | { rows: AsyncIterable<string>; type: string }
  | { events: EventStream }
)

export interface EventStream {
  /**
   * Begins, or throws a refusal; tells nothing before it has returned. Answers what is to be done when the stream is over,
   * at either end.
   */
  open(out: StreamEnd): () => void
}

export interface StreamEnd {
  send(event: { id: string; name: string; data: string }): void
  end(): void
}
