import { SignJWT, decodeProtectedHeader, jwtVerify } from 'jose'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { KeyRights } from '../../../kernel/key-rights.ts'
import { bytesToHex, hexToBytes } from '../../../kernel/nano/hex.ts'
import type { SecretBox } from '../../../kernel/ports.ts'
import type { Db } from '../../../kernel/db.ts'
import {
  findSessionSecret,
  insertEndedSession,
  insertSessionSecret,
  isSessionEnded,
  listSessionSecrets,
  replaceSessionSecret,
} from '../sessions-store.ts'
import { accountSuspended } from '../errors.ts'
import { rightsOf } from '../key-rights-store.ts'
import { type Account, findAccount, findLiveKey } from '../store.ts'

export const SESSION_SECONDS = 3_600
/** However often it is renewed, a session ends this long after its sign-in. */
const LONGEST_MILLISECONDS = 12 * 3_600_000
/** Every token of a session is younger than this when the session is ended. */
const ENDED_KEPT_MILLISECONDS = 2 * SESSION_SECONDS * 1000
const DAY = 24 * 3_600_000
const ISSUER = 'nano-gateway'
const AUDIENCE = 'dashboard'
const ALGORITHM = 'HS256'
/** A secret taken out of the store ends its sessions this much later. */
const SECRET_KNOWN_MILLISECONDS = 60_000
const SECRET_UNKNOWN_MILLISECONDS = 1_000
const SESSION_KNOWN_MILLISECONDS = 30_000
const REMEMBERED_MAX = 10_000
/** Yesterday's, today's, and one of an instance whose clock is ahead. */
const SECRETS_MAX = 3

/** Who is signed in, since when, and how. */
export interface Session {
  id: string
  account: Account
  /** The key it was opened with: it ends when the key does. */
  keyId: string | undefined
  /** What that key may do; undefined is everything. */
  rights: KeyRights | undefined
  beganAt: number
  expiresAt: number
}

type Claims = Omit<Session, 'account' | 'rights'> & { accountId: string }

type Holder = Pick<Session, 'account' | 'rights'>

interface Remembered {
  session: Session
  until: number
}

type SessionCtx = StoreCtx & { secrets: SecretBox }

/**
 * Short-lived tokens for the dashboard. Every day has its own secret, which all instances find in the store under the
 * day's name, sealed: a copy of the store opens no session. Yesterday's still verifies what it has signed. What was looked up
 * is remembered for a while, so that a request costs no read; a session that was ended is forgotten by notice.
 */
export class Sessions {
  readonly #ctx: SessionCtx
  readonly #secrets = new Map<string, { bytes: Uint8Array | undefined; until: number }>()
  readonly #remembered = new Map<string, Remembered>()
  /** Ended a moment ago: a look-up under way may have read what was true before. */
  readonly #ended = new Set<string>()
  /** Counts changes of accounts, which a look-up under way may have missed. */
  #changes = 0

  constructor(ctx: SessionCtx) {
    this.#ctx = ctx
  }

  /** Makes sure that a session can be signed. A caller that uses something up for one asks this before. */
  async prepare(): Promise<void> {
    const kid = nameOf(dayOf(this.#ctx.clock.now()))
    if (!(await this.#findSecret(kid))) await this.#makeSecret(kid)
  }

  create(accountId: string, { keyId }: { keyId?: string } = {}): Promise<string> {
    const { clock, ids } = this.#ctx
    return this.#sign({ id: ids.next('ses'), accountId, keyId, beganAt: clock.now() })
  }

  /** A fresh token of the same session; undefined once it has lasted its twelve hours. */
  async renew({ id, account, keyId, beganAt }: Session): Promise<string | undefined> {
    if (beganAt + LONGEST_MILLISECONDS <= this.#ctx.clock.now()) return undefined
    return this.#sign({ id, accountId: account.id, keyId, beganAt })
  }

  /** Whose session a token is; undefined when it is wrong, too old, ended, or signed by nobody we know. Suspended accounts are refused. */
  async find(token: string): Promise<Account | undefined> {
    return (await this.read(token))?.account
  }

  async read(token: string): Promise<Session | undefined> {
    const now = this.#ctx.clock.now()
    const known = this.#remembered.get(token)
    if (known && known.until > now) return known.session
    this.#remembered.delete(token)
    const changes = this.#changes
    const claims = await this.#verify(token, now)
    const holder = claims && (await this.#findHolder(claims, now))
    if (!claims || !holder || this.#ended.has(claims.id)) return undefined
    if (holder.account.standing.suspendedAt !== null) throw accountSuspended()
    const { id, keyId, beganAt, expiresAt } = claims
    const session: Session = { id, ...holder, keyId, beganAt, expiresAt }
    // One that was opened with a key ends with it at once, whoever revokes it and from where: it is looked up every time.
    if (keyId !== undefined || changes !== this.#changes) return session
    this.#remembered.set(token, { session, until: Math.min(now + SESSION_KNOWN_MILLISECONDS, expiresAt) })
    if (this.#remembered.size > REMEMBERED_MAX) this.#remembered.delete(this.#remembered.keys().next().value!)
    return session
  }

  /** Ends a session with all its tokens; answers its id for those who remember it, and nothing for a wrong token. */
  async end(token: string): Promise<string | undefined> {
    const { db, clock } = this.#ctx
    const now = clock.now()
    const claims = await this.#verify(token, now)
    if (!claims) return undefined
    await insertEndedSession(db, claims.id, now + ENDED_KEPT_MILLISECONDS)
    this.forget(claims.id)
    return claims.id
  }

  /** After a session was ended, here or on another instance. */
  forget(id: string): void {
    this.#ended.add(id)
    if (this.#ended.size > REMEMBERED_MAX) this.#ended.delete(this.#ended.values().next().value!)
    for (const [token, { session }] of this.#remembered) if (session.id === id) this.#remembered.delete(token)
  }

  /** Changes may have escaped us. */
  forgetAll(): void {
    this.#changes++
    this.#remembered.clear()
  }

  /** After a change of what an account may do, here or on another instance. */
  forgetAccount(accountId: string): void {
    this.#changes++
    for (const [token, { session }] of this.#remembered) {
      if (session.account.id === accountId) this.#remembered.delete(token)
    }
  }

  async #sign({ id, accountId, keyId, beganAt }: Omit<Claims, 'expiresAt'>): Promise<string> {
    const milliseconds = this.#ctx.clock.now()
    const now = Math.floor(milliseconds / 1000)
    const kid = nameOf(dayOf(milliseconds))
    return new SignJWT({ began: beganAt, ...(keyId !== undefined && { key: keyId }) })
      .setProtectedHeader({ alg: ALGORITHM, kid })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(accountId)
      .setJti(id)
      .setIssuedAt(now)
      .setExpirationTime(now + SESSION_SECONDS)
      .sign((await this.#findSecret(kid)) ?? (await this.#makeSecret(kid)))
  }

  async #findHolder({ id, accountId, keyId, beganAt }: Claims, now: number): Promise<Holder | undefined> {
    const { db } = this.#ctx
    if (await isSessionEnded(db, id)) return undefined
    const key = keyId === undefined ? undefined : await findLiveKey(db, { accountId, keyId, now })
    if (keyId !== undefined && !key) return undefined
    const account = await findAccount(db, accountId)
    if (!account || beganAt <= (account.standing.signedOutAt ?? 0)) return undefined
    return { account, rights: key && rightsOf(key) }
  }

  async #verify(token: string, now: number): Promise<Claims | undefined> {
    const kid = readKeyId(token)
    const today = dayOf(now)
    // Only these can be right, so that an invented name costs no look-up.
    if (kid === undefined || ![today, today - 1, today + 1].map(nameOf).includes(kid)) return undefined
    const secret = await this.#findSecret(kid)
    if (!secret) return undefined
    try {
      const { payload } = await jwtVerify<{ began: number; key?: string }>(token, secret, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'exp', 'jti', 'began'],
        currentDate: new Date(now),
      })
      const { sub, jti, exp, began, key } = payload
      return { id: jti!, accountId: sub!, keyId: key, beganAt: began, expiresAt: exp! * 1000 }
    } catch {
      // A token that does not hold is nobody's.
      return undefined
    }
  }

  async #findSecret(id: string): Promise<Uint8Array | undefined> {
    const { db, clock } = this.#ctx
    const known = this.#secrets.get(id)
    if (known && known.until > clock.now()) return known.bytes
    const found = await findSessionSecret(db, id)
    const bytes = found === undefined ? undefined : this.#read(id, found)
    this.#secrets.delete(id)
    const kept = bytes ? SECRET_KNOWN_MILLISECONDS : SECRET_UNKNOWN_MILLISECONDS
    this.#secrets.set(id, { bytes, until: clock.now() + kept })
    if (this.#secrets.size > SECRETS_MAX) this.#secrets.delete(this.#secrets.keys().next().value!)
    return bytes
  }

  /** Undefined for one that was sealed with a key that is gone: what it has signed is lost, and nothing else. */
  #read(id: string, sealed: string): Uint8Array | undefined {
    try {
      return hexToBytes(this.#ctx.secrets.open(contextOf(id), sealed))
    } catch (error) {
      this.#ctx.failures.lost('accounts.session-secret')(error)
      return undefined
    }
  }

  /** The day's secret, made by the first process, or anew where it cannot be read; the others use what that one has left. */
  async #makeSecret(id: string): Promise<Uint8Array> {
    const { db, clock, random, secrets } = this.#ctx
    const secret = secrets.seal(contextOf(id), bytesToHex(random.bytes(32)))
    const unreadable = await findSessionSecret(db, id)
    if (unreadable === undefined) await insertSessionSecret(db, { id, secret, createdAt: clock.now() })
    else if (!this.#read(id, unreadable)) {
      await replaceSessionSecret(db, { id, unreadable, secret, now: clock.now() })
    }
    this.#secrets.delete(id)
    const made = await this.#findSecret(id)
    if (!made) throw new Error('The session secret vanished.')
    return made
  }
}

const dayOf = (milliseconds: number) => Math.floor(milliseconds / DAY)
const nameOf = (day: number) => `ses_${day}`
/** Sealed secrets and where they belong, for the start, which must know whether a key opens them. */
export async function listSealedSessions(db: Db): Promise<{ place: string; sealed: string }[]> {
  return (await listSessionSecrets(db)).map(({ id, secret }) => ({ place: contextOf(id), sealed: secret }))
}

const contextOf = (id: string) => `session|${id}`

function readKeyId(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid
  } catch {
    // Not a token.
    return undefined
  }
}
