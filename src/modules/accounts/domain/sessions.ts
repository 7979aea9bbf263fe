import { SignJWT, decodeProtectedHeader, jwtVerify } from 'jose'
import { actorOf } from '../../../kernel/actor.ts'
import type { Caller } from '../../../kernel/ctx.ts'
import type { Db } from '../../../kernel/db.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { KeyRights } from '../../../kernel/rights.ts'
import { bytesToHex, hexToBytes } from '../../../kernel/nano/hex.ts'
import type { KeyLookup, KeyOwner, SecretBox } from '../../../kernel/ports.ts'
import type { AccountCaller, ProvedBy, SignedIn } from '../../../kernel/route.ts'
import { accountSuspended } from '../errors.ts'
import { isWhole, rightsOf } from '../keys-store.ts'
import { type Required, isRequired } from '../passkeys/policy.ts'
import { hasPasskey } from '../passkeys/store.ts'
import { type Member, findMember, findMemberByEmail } from '../people/members-store.ts'
import {
  findSessionSecret,
  insertEndedSession,
  insertSessionSecret,
  isSessionEnded,
  listSessionSecrets,
  replaceSessionSecret,
} from '../sessions-store.ts'
import { type Account, findAccount, findLiveKey } from '../store.ts'

export const SESSION_SECONDS = 3_600
/** However often it is renewed, a session ends this long after its sign-in. */
const LONGEST_MILLISECONDS = 12 * 3_600_000
/** Every token of a session is younger than this when the session is ended. */
const ENDED_KEPT_MILLISECONDS = 2 * SESSION_SECONDS * 1000
const DAY = 24 * 3_600_000
const ISSUER = 'nano-gateway'
const AUDIENCE = 'dashboard'
/** Of a member's session: a gateway of the version before, which knows no roles, must not take one for the whole account. */
const MEMBERS = 'dashboard-member'
const ALGORITHM = 'HS256'
/** A secret taken out of the store ends its sessions this much later. */
const SECRET_KNOWN_MILLISECONDS = 60_000
const SECRET_UNKNOWN_MILLISECONDS = 1_000
/** Yesterday's, today's, and one of an instance whose clock is ahead. */
const SECRETS_MAX = 3

/** Who is signed in, since when, and how. */
export interface Session {
  id: string
  account: Account
  /** The key it was opened with: it ends when the key does. */
  keyId: string | undefined
  /** What that key may do; undefined is everything. `account.role` is no more than it may. */
  rights: KeyRights | undefined
  /** Who it is of the account's people, as they are now; undefined where a key has opened it. */
  member: Member | undefined
  beganAt: number
  expiresAt: number
  /** When who is signed in has last proved who they are; the sign-in is the first time. */
  provedAt: number
  provedBy: ProvedBy
  /** Whether they must add a passkey before anything else. */
  mustEnrol: boolean
}

interface Claims extends Pick<Session, 'id' | 'keyId' | 'beganAt' | 'expiresAt' | 'provedAt' | 'provedBy'> {
  accountId: string
  memberId: string | undefined
}

interface TokenClaims {
  began: number
  proved?: number
  by?: ProvedBy
  key?: string
  member?: string
}

type Holder = Pick<Session, 'account' | 'rights' | 'member' | 'mustEnrol'>

type SessionCtx = StoreCtx & { secrets: SecretBox; passkeysRequired?: Required }

interface Opening {
  keyId?: string
  memberId?: string
  by?: ProvedBy
}

/**
 * Short-lived tokens for the dashboard. Every day has its own secret, which all instances find in the store under the
 * day's name, sealed: a copy of the store opens no session. Yesterday's still verifies what it has signed. Whose a session is gets
 * looked up every time: who was signed out, removed or given another role is so at once, on every instance.
 */
export class Sessions {
  readonly #ctx: SessionCtx
  readonly #secrets = new Map<string, { bytes: Uint8Array | undefined; until: number }>()

  constructor(ctx: SessionCtx) {
    this.#ctx = ctx
  }

  /** Makes sure that a session can be signed. A caller that uses something up for one asks this before. */
  async prepare(): Promise<void> {
    const kid = nameOf(dayOf(this.#ctx.clock.now()))
    if (!(await this.#findSecret(kid))) await this.#makeSecret(kid)
  }

  /** Of a member, or of who has typed in a key; of neither it is the account's own address that signs in. */
  create(accountId: string, { keyId, memberId, by }: Opening = {}): Promise<string> {
    const { clock, ids } = this.#ctx
    const now = clock.now()
    const provedBy = by ?? usualWay(keyId)
    return this.#sign({ id: ids.next('ses'), accountId, keyId, memberId, beganAt: now, provedAt: now, provedBy })
  }

  /** Leads who is signed in to another place of theirs: no sign-in, so that it ends when the session before would have, which ends now. */
  async move(
    from: Omit<SignedIn, 'member' | 'mustEnrol'>,
    { accountId, memberId }: { accountId: string; memberId: string },
  ): Promise<string> {
    const { db, clock, ids } = this.#ctx
    const { beganAt, provedAt, provedBy } = from
    const proved = { beganAt, provedAt, provedBy }
    const token = await this.#sign({ id: ids.next('ses'), accountId, keyId: undefined, memberId, ...proved })
    await insertEndedSession(db, from.id, clock.now() + ENDED_KEPT_MILLISECONDS)
    return token
  }

  /** A fresh token of the same session; undefined once it has lasted its twelve hours. */
  async renew(session: Session): Promise<string | undefined> {
    const { id, account, keyId, member, beganAt, provedAt, provedBy } = session
    if (beganAt + LONGEST_MILLISECONDS <= this.#ctx.clock.now()) return undefined
    return this.#sign({ id, accountId: account.id, keyId, memberId: member?.id, beganAt, provedAt, provedBy })
  }

  /** A token of the same session whose holder has just proved who they are. */
  prove({ accountId, restsOn: keyId, session }: AccountCaller, provedBy = usualWay(keyId)): Promise<string> {
    const { id, member, beganAt } = session!
    const provedAt = this.#ctx.clock.now()
    return this.#sign({ id, accountId, keyId, memberId: member?.id, beganAt, provedAt, provedBy })
  }

  /** Whose session a token is; undefined when it is wrong, too old, ended, or not signed by us. Suspended accounts are refused. */
  async find(token: string): Promise<Account | undefined> {
    return (await this.read(token))?.account
  }

  async read(token: string): Promise<Session | undefined> {
    const now = this.#ctx.clock.now()
    const claims = await this.#verify(token, now)
    const holder = claims && (await this.#findHolder(claims, now))
    if (!claims || !holder) return undefined
    if (holder.account.standing.suspendedAt !== null) throw accountSuspended()
    const { id, keyId, beganAt, expiresAt, provedAt, provedBy } = claims
    return { id, ...holder, keyId, beganAt, expiresAt, provedAt, provedBy }
  }

  /** Ends a session with all its tokens; answers its id, and nothing for a wrong token. */
  async end(token: string): Promise<string | undefined> {
    const { db, clock } = this.#ctx
    const now = clock.now()
    const claims = await this.#verify(token, now)
    if (!claims) return undefined
    await insertEndedSession(db, claims.id, now + ENDED_KEPT_MILLISECONDS)
    return claims.id
  }

  async #sign(claims: Omit<Claims, 'expiresAt'>): Promise<string> {
    const { id, accountId, keyId, memberId, beganAt, provedAt, provedBy } = claims
    const milliseconds = this.#ctx.clock.now()
    const now = Math.floor(milliseconds / 1000)
    const kid = nameOf(dayOf(milliseconds))
    const held = { ...(keyId !== undefined && { key: keyId }), ...(memberId !== undefined && { member: memberId }) }
    return new SignJWT({ began: beganAt, proved: provedAt, by: provedBy, ...held })
      .setProtectedHeader({ alg: ALGORITHM, kid })
      .setIssuer(ISSUER)
      .setAudience(memberId === undefined ? AUDIENCE : MEMBERS)
      .setSubject(accountId)
      .setJti(id)
      .setIssuedAt(now)
      .setExpirationTime(now + SESSION_SECONDS)
      .sign((await this.#findSecret(kid)) ?? (await this.#makeSecret(kid)))
  }

  async #findHolder({ id, accountId, keyId, memberId, beganAt }: Claims, now: number): Promise<Holder | undefined> {
    const { db, passkeysRequired = 'none' } = this.#ctx
    if (await isSessionEnded(db, id)) return undefined
    const account = await findAccount(db, accountId)
    if (!account || beganAt <= (account.standing.signedOutAt ?? 0)) return undefined
    if (keyId !== undefined) {
      const key = await findLiveKey(db, { accountId, keyId, now })
      if (!key) return undefined
      const role = isWhole(key) ? account.role : 'user'
      return { account: { ...account, role }, rights: rightsOf(key), member: undefined, mustEnrol: false }
    }
    const member =
      memberId !== undefined
        ? await findMember(db, { accountId, id: memberId })
        : await findMemberByEmail(db, { accountId, email: account.email ?? '' })
    if (!member || (member.joinedAt === null && member.expiresAt! <= now)) return undefined
    if (beganAt < (member.signedOutAt ?? 0) && id !== member.keptSession) return undefined
    const mustEnrol = isRequired(passkeysRequired, account) && !(await hasPasskey(db, member.email))
    return { account, rights: undefined, member, mustEnrol }
  }

  async #verify(token: string, now: number): Promise<Claims | undefined> {
    const kid = readKeyId(token)
    const today = dayOf(now)
    // Only these can be right, so that an invented name costs no look-up.
    if (kid === undefined || ![today, today - 1, today + 1].map(nameOf).includes(kid)) return undefined
    const secret = await this.#findSecret(kid)
    if (!secret) return undefined
    try {
      const { payload } = await jwtVerify<TokenClaims>(token, secret, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: [AUDIENCE, MEMBERS],
        requiredClaims: ['sub', 'exp', 'jti', 'began'],
        currentDate: new Date(now),
      })
      const { sub, aud, jti, exp, began, proved = began, key, member, by = usualWay(key) } = payload
      if ((aud === MEMBERS) !== (member !== undefined)) return undefined
      const held = { accountId: sub!, keyId: key, memberId: member }
      return { id: jti!, ...held, beganAt: began, provedAt: proved, provedBy: by, expiresAt: exp! * 1000 }
    } catch {
      // A token that does not hold belongs to no account.
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

/** A token of the version before does not say. */
const usualWay = (keyId: string | undefined): ProvedBy => (keyId === undefined ? 'mail' : 'key')
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

const invalidKey = () => new AppError('invalid_key', 'Invalid API Key.')

/** Who is calling, at once where the key is known. A wrong credential is refused and never treated as none. */
export function identify(
  keys: KeyLookup,
  credential: string | undefined,
  origin: string | undefined,
): Caller | Promise<Caller> {
  if (credential === undefined) return { kind: 'anonymous' }
  const owner = keys.find(credential)
  return owner instanceof Promise ? owner.then((owner) => toCaller(owner, origin)) : toCaller(owner, origin)
}

/** Who is calling now, whatever is remembered of the key: before money moves, or a key is made. */
export const identifyNow = async (keys: KeyLookup, credential: string, origin: string | undefined): Promise<Caller> =>
  toCaller(await keys.findNow(credential), origin)

function toCaller(owner: KeyOwner | undefined, origin: string | undefined): Caller {
  if (!owner) throw invalidKey()
  const { accountId, kind, role, prepaid, keyId, origins, rights, plan } = owner
  if (owner.isSuspended) throw accountSuspended()
  const actor = actorOf.key(keyId)
  if (kind === 'secret')
    return { kind: 'account', accountId, role, prepaid, door: 'secret-key', keyId, actor, rights, plan }
  // A public key is readable by anybody; what holds it is the page it may be used from.
  if (origin === undefined || !origins.includes(origin)) {
    throw new AppError('origin_not_allowed', 'This public key cannot be used from this origin.')
  }
  return { kind: 'account', accountId, role, prepaid, door: 'public-key', keyId, actor, rights }
}
