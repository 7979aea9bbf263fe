import { SignJWT, decodeProtectedHeader, jwtVerify } from 'jose'
import { actorOf } from '../../../kernel/actor.ts'
import type { Caller } from '../../../kernel/ctx.ts'
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
import { findMember, findMemberByEmail } from '../people/members-store.ts'
import type { Member } from '../people/member.ts'
import {
  findSessionSecret,
  insertEndedSession,
  insertSessionSecret,
  isSessionEnded,
  replaceSessionSecret,
} from '../sessions-store.ts'
import { sessionSecretContext } from '../tables.ts'
import { type Account, findAccount, findLiveKey } from '../store.ts'

export const SESSION_SECONDS = 3_600
/** However often it is renewed, a session ends this long after the sign-in. */
const LONGEST_MILLISECONDS = 12 * 3_600_000
/** Ended sessions are stored longer than any of their tokens is valid. */
const ENDED_KEPT_MILLISECONDS = 2 * SESSION_SECONDS * 1000
const DAY = 24 * 3_600_000
const ISSUER = 'nano-gateway'
const AUDIENCE = 'dashboard'
/** The audience of a member's token: a gateway of the previous version, which knows no roles, must not accept it for the whole account. */
const MEMBERS = 'dashboard-member'
const ALGORITHM = 'HS256'
/** After a secret is deleted from the store, its sessions end within this time. */
const SECRET_KNOWN_MILLISECONDS = 60_000
const SECRET_UNKNOWN_MILLISECONDS = 1_000
/** Yesterday's, today's, and that of an instance whose clock is ahead. */
const SECRETS_MAX = 3

export interface Session {
  id: string
  account: Account
  /** The key with which it was opened; it ends when the key does. */
  keyId: string | undefined
  /** The rights of that key; undefined means all. `account.role` is already reduced to them. */
  rights: KeyRights | undefined
  /** The member who is signed in, as currently stored; undefined for a session opened with a key. */
  member: Member | undefined
  beganAt: number
  expiresAt: number
  /** When the user last confirmed their identity; the sign-in counts as the first time. */
  provedAt: number
  provedBy: ProvedBy
  /** Whether the user must add a passkey before anything else. */
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
 * Short-lived tokens for the dashboard. Every day has its own secret, which all instances read from the store; it is encrypted, so a copy of
 * the store opens no session. Yesterday's secret still verifies the tokens it has signed. The user is looked up on every request: signing
 * out, removal and a new role take effect at once on every instance.
 */
export class Sessions {
  readonly #ctx: SessionCtx
  readonly #secrets = new Map<string, { bytes: Uint8Array | undefined; until: number }>()

  constructor(ctx: SessionCtx) {
    this.#ctx = ctx
  }

  /** Makes sure that a session can be signed. Call it before using up a one-time code for one. */
  async prepare(): Promise<void> {
    const kid = nameOf(dayOf(this.#ctx.clock.now()))
    if (!(await this.#findSecret(kid))) await this.#makeSecret(kid)
  }

  /** For a member, or for a user who entered a key; without either, the account's own address signs in. */
  create(accountId: string, { keyId, memberId, by }: Opening = {}): Promise<string> {
    const { clock, ids } = this.#ctx
    const now = clock.now()
    const provedBy = by ?? usualWay(keyId)
    return this.#sign({ id: ids.next('ses'), accountId, keyId, memberId, beganAt: now, provedAt: now, provedBy })
  }

  /** Moves a user to another of their accounts. This is not a new sign-in: the old session ends now, and the new one keeps its end. */
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

  /** A fresh token of the same session; undefined once its twelve hours are over. */
  async renew(session: Session): Promise<string | undefined> {
    const { id, account, keyId, member, beganAt, provedAt, provedBy } = session
    if (beganAt + LONGEST_MILLISECONDS <= this.#ctx.clock.now()) return undefined
    return this.#sign({ id, accountId: account.id, keyId, memberId: member?.id, beganAt, provedAt, provedBy })
  }

  /** A token of the same session after the user has confirmed their identity. */
  prove({ accountId, restsOn: keyId, session }: AccountCaller, provedBy = usualWay(keyId)): Promise<string> {
    const { id, member, beganAt } = session!
    const provedAt = this.#ctx.clock.now()
    return this.#sign({ id, accountId, keyId, memberId: member?.id, beganAt, provedAt, provedBy })
  }

  /** The account of a token's session; undefined when the token is wrong, expired, ended, or not signed by us. Suspended accounts are refused. */
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

  /** Ends a session with all its tokens; returns its id, or undefined for a wrong token. */
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
    // Only these names are possible, so an invented one costs no look-up.
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
      // A token that does not verify belongs to no account.
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

  /** Undefined for a secret encrypted with a lost key: only the sessions signed with it are lost. */
  #read(id: string, encrypted: string): Uint8Array | undefined {
    try {
      return hexToBytes(this.#ctx.secrets.open(sessionSecretContext(id), encrypted))
    } catch (error) {
      this.#ctx.failures.lost('accounts.session-secret')(error)
      return undefined
    }
  }

  /** Makes the day's secret, or replaces one that cannot be decrypted. The first process decides, and the others use its secret. */
  async #makeSecret(id: string): Promise<Uint8Array> {
    const { db, clock, random, secrets } = this.#ctx
    const secret = secrets.encrypt(sessionSecretContext(id), bytesToHex(random.bytes(32)))
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

/** Tokens of the previous version do not contain it. */
const usualWay = (keyId: string | undefined): ProvedBy => (keyId === undefined ? 'mail' : 'key')
const dayOf = (milliseconds: number) => Math.floor(milliseconds / DAY)
const nameOf = (day: number) => `ses_${day}`

function readKeyId(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid
  } catch {
    // Not a token.
    return undefined
  }
}

const invalidKey = () => new AppError('invalid_key', 'Invalid API Key.')

/** Identifies the caller, synchronously where the key is cached. A wrong credential is refused, never treated as anonymous. */
export function identify(
  keys: KeyLookup,
  credential: string | undefined,
  origin: string | undefined,
): Caller | Promise<Caller> {
  if (credential === undefined) return { kind: 'anonymous' }
  const owner = keys.find(credential)
  return owner instanceof Promise ? owner.then((owner) => toCaller(owner, origin)) : toCaller(owner, origin)
}

/** The same without the cache, before money moves or a key is made. */
export const identifyNow = async (keys: KeyLookup, credential: string, origin: string | undefined): Promise<Caller> =>
  toCaller(await keys.findNow(credential), origin)

function toCaller(owner: KeyOwner | undefined, origin: string | undefined): Caller {
  if (!owner) throw invalidKey()
  const { accountId, kind, role, prepaid, keyId, origins, rights, plan } = owner
  if (owner.isSuspended) throw accountSuspended()
  const actor = actorOf.key(keyId)
  if (kind === 'secret')
    return { kind: 'account', accountId, role, prepaid, access: 'secret-key', keyId, actor, rights, plan }
  // Anybody can read a public key, so it is valid only on pages of its origins.
  if (origin === undefined || !origins.includes(origin)) {
    throw new AppError('origin_not_allowed', 'This public key cannot be used from this origin.')
  }
  return { kind: 'account', accountId, role, prepaid, access: 'public-key', keyId, actor, rights }
}
