import { SignJWT, decodeProtectedHeader, jwtVerify } from 'jose'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { bytesToHex, hexToBytes } from '../../../kernel/nano/hex.ts'
import type { SecretBox } from '../../../kernel/ports.ts'
import { type Account, findAccount, findSessionSecret, insertSessionSecret } from '../store.ts'

export const SESSION_SECONDS = 3_600
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

interface Remembered {
  account: Account
  until: number
}

type SessionCtx = StoreCtx & { secrets: SecretBox }

/**
 * Short-lived tokens for the dashboard. Every day has its own secret, which all instances find in the store under the
 * day's name, sealed: a copy of the store signs nobody in. Yesterday's still verifies what it has signed. What was looked up is remembered for a while, so that a
 * request costs no read.
 */
export class Sessions {
  readonly #ctx: SessionCtx
  readonly #secrets = new Map<string, { bytes: Uint8Array | undefined; until: number }>()
  readonly #remembered = new Map<string, Remembered>()

  constructor(ctx: SessionCtx) {
    this.#ctx = ctx
  }

  async create(accountId: string): Promise<string> {
    const milliseconds = this.#ctx.clock.now()
    const now = Math.floor(milliseconds / 1000)
    const id = nameOf(dayOf(milliseconds))
    return new SignJWT({})
      .setProtectedHeader({ alg: ALGORITHM, kid: id })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(accountId)
      .setIssuedAt(now)
      .setExpirationTime(now + SESSION_SECONDS)
      .sign((await this.#findSecret(id)) ?? (await this.#makeSecret(id)))
  }

  /** Whose session a token is; undefined when it is wrong, too old, or signed by nobody we know. */
  async find(token: string): Promise<Account | undefined> {
    const now = this.#ctx.clock.now()
    const known = this.#remembered.get(token)
    if (known && known.until > now) return known.account
    this.#remembered.delete(token)
    const verified = await this.#verify(token, now)
    if (!verified) return undefined
    const account = await findAccount(this.#ctx.db, verified.accountId)
    if (!account) return undefined
    this.#remembered.set(token, { account, until: Math.min(now + SESSION_KNOWN_MILLISECONDS, verified.expiresAt) })
    if (this.#remembered.size > REMEMBERED_MAX) this.#remembered.delete(this.#remembered.keys().next().value!)
    return account
  }

  async #verify(token: string, now: number): Promise<{ accountId: string; expiresAt: number } | undefined> {
    const kid = readKeyId(token)
    const today = dayOf(now)
    // Only these can be right, so that an invented name costs no look-up.
    if (kid === undefined || ![today, today - 1, today + 1].map(nameOf).includes(kid)) return undefined
    const secret = await this.#findSecret(kid)
    if (!secret) return undefined
    try {
      const { payload } = await jwtVerify(token, secret, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(now),
      })
      return { accountId: payload.sub!, expiresAt: payload.exp! * 1000 }
    } catch {
      return undefined
    }
  }

  async #findSecret(id: string): Promise<Uint8Array | undefined> {
    const { db, clock, secrets } = this.#ctx
    const known = this.#secrets.get(id)
    if (known && known.until > clock.now()) return known.bytes
    const found = await findSessionSecret(db, id)
    const bytes = found === undefined ? undefined : hexToBytes(secrets.open(contextOf(id), found))
    this.#secrets.delete(id)
    const kept = bytes ? SECRET_KNOWN_MILLISECONDS : SECRET_UNKNOWN_MILLISECONDS
    this.#secrets.set(id, { bytes, until: clock.now() + kept })
    if (this.#secrets.size > SECRETS_MAX) this.#secrets.delete(this.#secrets.keys().next().value!)
    return bytes
  }

  /** The day's secret, made by whoever is first; the others use what that one has left. */
  async #makeSecret(id: string): Promise<Uint8Array> {
    const { db, clock, random, secrets } = this.#ctx
    const secret = secrets.seal(contextOf(id), bytesToHex(random.bytes(32)))
    await insertSessionSecret(db, { id, secret, createdAt: clock.now() })
    this.#secrets.delete(id)
    const made = await this.#findSecret(id)
    if (!made) throw new Error('The session secret vanished.')
    return made
  }
}

const dayOf = (milliseconds: number) => Math.floor(milliseconds / DAY)
const nameOf = (day: number) => `ses_${day}`
const contextOf = (id: string) => `session|${id}`

function readKeyId(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid
  } catch {
    return undefined
  }
}
