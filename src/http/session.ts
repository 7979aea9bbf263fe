import { actorOf } from '../kernel/actor.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { extractCredential } from '../guard/credential.ts'
import { kindOfApiKey } from '../kernel/api-key.ts'
import { AppError } from '../kernel/errors.ts'
import type { KeyLookup } from '../kernel/ports.ts'
import type { Caller } from '../kernel/ctx.ts'
import type { AccountCaller } from '../kernel/route.ts'
import { roleMay } from '../kernel/rights.ts'
import { SESSION_SECONDS, type Session, type Sessions, identify, identifyNow } from '../modules/accounts/index.ts'

export interface SessionOptions {
  keys: KeyLookup
  sessions: Sessions
  baseUrl(): string
}

/** Browsers tie a cookie with this prefix to one host and https, and refuse the prefix over plain http. */
const nameOfCookie = (baseUrl: string) => (isHttps(baseUrl) ? '__Host-nano-gateway' : 'nano-gateway')
const isHttps = (baseUrl: string) => baseUrl.startsWith('https:')

export function sessionCookie(baseUrl: string, token: string): string {
  return toCookie(baseUrl, token, SESSION_SECONDS)
}

export function endedCookie(baseUrl: string): string {
  return toCookie(baseUrl, '', 0)
}

function toCookie(baseUrl: string, value: string, seconds: number): string {
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isHttps(baseUrl) ? '; Secure' : ''}`
  return `${nameOfCookie(baseUrl)}=${value}; ${attributes}`
}

/** The session token in a request's cookie; undefined without one. */
export function readCookie({ cookie = '' }: IncomingHttpHeaders, baseUrl: string): string | undefined {
  const wanted = `${nameOfCookie(baseUrl)}=`
  const found = cookie
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(wanted))
  return found === undefined || found === wanted ? undefined : found.slice(wanted.length)
}

interface Presented {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: Readonly<Record<string, unknown>> | undefined
  /** Whether it may also be a person who must first add a passkey. */
  unenrolled?: boolean
}

/**
 * Identifies the caller by a session or a secret key, in any place for credentials, or by the session in the cookie.
 * Browsers send cookies without being asked, so with a cookie a change must come from our own pages. A credential in
 * another place was sent on purpose, so it counts instead of the cookie.
 */
export async function identifyApiCaller(
  { keys, sessions, baseUrl }: SessionOptions,
  { method, url, headers, body, unenrolled = false }: Presented,
): Promise<AccountCaller> {
  const credential = extractCredential({ headers, url, body, action: undefined })
  const reads = method === 'GET' || method === 'HEAD'
  if (credential !== undefined && kindOfApiKey(credential) !== undefined) {
    const caller = await (reads ? identify : identifyNow)(keys, credential, headers.origin)
    if (caller.kind !== 'account' || caller.access !== 'secret-key') {
      throw new AppError('feature_disabled', 'A public key cannot be used here.')
    }
    return { ...caller, restsOn: caller.keyId }
  }
  const token = credential ?? readCookie(headers, baseUrl())
  if (token === undefined) throw new AppError('key_required', 'API key required, or a session.')
  if (credential === undefined && !reads) requireOwnPage(headers, baseUrl())
  const session = await sessions.read(token)
  if (!session) {
    const text = credential === undefined ? 'The session has ended. Sign in again.' : 'Invalid API Key.'
    throw new AppError('invalid_key', text)
  }
  if (session.mustEnrol && !unenrolled) {
    throw new AppError('passkey_required', 'Add a passkey first, on the Security page of the dashboard.')
  }
  return toSessionCaller(session)
}

/** Who is charged for a call. People who are only invited use up nothing of the account. */
export const spenderOf = (caller: AccountCaller): Caller =>
  caller.memberRole === 'guest' ? { kind: 'anonymous' } : caller

/**
 * The caller that a session stands for. Of an administrator's account, only owners get the rights of an administrator.
 */
export function toSessionCaller(session: Session): AccountCaller {
  const { id, account, keyId: restsOn, rights, member, beganAt, provedAt, provedBy, mustEnrol } = session
  const { id: accountId, standing } = account
  const memberRole = member && (member.joinedAt === null ? 'guest' : member.role)
  const isWhole = memberRole === undefined || roleMay(memberRole, 'administration', 'all')
  return {
    kind: 'account',
    accountId,
    role: isWhole ? account.role : 'user',
    prepaid: false,
    access: 'secret-key',
    restsOn,
    rights,
    memberRole,
    plan: standing.plan,
    session: { id, member: member && { id: member.id, email: member.email }, beganAt, provedAt, provedBy, mustEnrol },
    // A session belongs to a member or to a key.
    actor: member ? actorOf.person(member.id) : actorOf.key(restsOn!),
  }
}

/**
 * Refuses a request that a page of another site made the browser send. The browser reports the origin, which pages
 * cannot forge. A request without an origin does not come from a browser, and should have no cookie.
 */
export function requireOwnPage(headers: IncomingHttpHeaders, baseUrl: string): void {
  if (!comesFromOwnPage(headers, baseUrl)) {
    throw new AppError('origin_not_allowed', 'Requests with a session cookie are only accepted from our own pages.')
  }
}

/** The same for a request that sends no cookie but gets one: programs may send it, pages of other sites may not. */
export function refuseOtherPages(headers: IncomingHttpHeaders, baseUrl: string): void {
  const isBrowser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
  if (isBrowser) requireOwnPage(headers, baseUrl)
}

function comesFromOwnPage({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders, baseUrl: string): boolean {
  if (site !== undefined) return site === 'same-origin'
  if (origin === undefined || !URL.canParse(origin)) return false
  // A gateway may have several host names; the cookie belongs to the one in `Host`.
  return origin === new URL(baseUrl).origin || new URL(origin).host === host
}
