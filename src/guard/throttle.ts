import type { Caller } from '../kernel/ctx.ts'
import { AppError } from '../kernel/errors.ts'
import type { KeyLimits } from '../kernel/rights.ts'
import type { LimitDecision, RateLimiter } from '../kernel/ports.ts'

/** The limits of a kind of caller; 0 means no limit. */
interface Plan {
  perMinute: number
  concurrencyMax: number
}

export interface Plans {
  anonymous: Plan
  /**
   * For a public key, by network address: anybody can read the key, so its holders do not use the limits of its
   * account.
   */
  publicKey: Plan
  free: Plan
  prepaid: Plan
}

/** A request that was let in. */
export interface Entry {
  /** For the RateLimit headers; undefined if there is no limit. */
  decision: LimitDecision | undefined
  /** Frees the concurrent place. Call it when the request is over, however it ended. */
  leave(): void
}

export interface Throttle {
  /** Admits a request or refuses it (429). Synchronous if the limiter is. */
  enter(caller: Caller, ip: string, prepaid: boolean): Entry | Promise<Entry>
}

interface ThrottleOptions {
  burst: RateLimiter
  plans: Plans
}

/** Over a limit. Like every answer, it carries the numbers of the RateLimit headers. */
export class TooManyRequests extends AppError {
  readonly decision: LimitDecision | undefined

  constructor(decision: LimitDecision | undefined, retryAfterSeconds: number, detail: string) {
    // No stack: recording it would cost more than everything else during a flood, and it is always the same.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super('too_many_requests', 'Too many requests.', { retryAfterSeconds, body: { detail } })
    Error.stackTraceLimit = stackTraceLimit
    this.decision = decision
  }
}

const LIFTED = {
  anonymous: 'from one address without a key. A key has limits of its own: rpc_key.',
  publicKey: 'with a public key from one address. The limits of its account are others.',
  free: 'of an account without credits. Credits raise it: buy_rpc.',
  prepaid: 'of an account with credits. The operator of the service can raise it.',
} as const satisfies Record<keyof Plans, string>

/** The running requests of one caller. */
interface Presence {
  running: number
  decision: LimitDecision | undefined
}

/**
 * Limits callers in requests per minute and in concurrent requests. A refused request counts for neither: its place is
 * taken first, and freed if the limit per minute is reached.
 */
export function createThrottle({ burst, plans }: ThrottleOptions): Throttle {
  const presences = new Map<string, Presence>()

  const arrive = (key: string, kind: keyof Plans, { concurrencyMax }: Plan): Presence => {
    let presence = presences.get(key)
    if (presence && concurrencyMax > 0 && presence.running >= concurrencyMax) {
      throw new TooManyRequests(presence.decision, 1, `${concurrencyMax} requests at once ${LIFTED[kind]}`)
    }
    if (!presence) presences.set(key, (presence = { running: 0, decision: undefined }))
    presence.running++
    return presence
  }
  const depart = (key: string, presence: Presence) => {
    if (--presence.running === 0) presences.delete(key)
  }
  const settle = (
    { key, kind, plan, presence }: { key: string; kind: keyof Plans; plan: Plan; presence: Presence },
    decision: LimitDecision | undefined,
  ): Entry => {
    if (decision) presence.decision = decision
    if (decision && !decision.allowed) {
      depart(key, presence)
      const detail = `${plan.perMinute} requests a minute ${LIFTED[kind]}`
      throw new TooManyRequests(decision, decision.retryAfterSeconds, detail)
    }
    let left = false
    const leave = () => {
      if (!left) depart(key, presence)
      left = true
    }
    return { decision, leave }
  }

  return {
    enter(caller, ip, prepaid) {
      const { kind, key } = bucketOf(caller, ip, prepaid)
      const plan = planOf(plans[kind], caller)
      const { perMinute } = plan
      const entering = { kind, key, plan, presence: arrive(key, kind, plan) }
      const { presence } = entering
      const limits = limitsOf(caller)
      if (limits.length === 0 && perMinute === 0) return settle(entering, undefined)
      const take = () => (perMinute === 0 ? undefined : burst.take(key, perMinute))
      const decision =
        limits.length === 0 ? take() : takeOwn(burst, limits).then(async (own) => tighter(own, await take()))
      if (!(decision instanceof Promise)) return settle(entering, decision)
      return decision.then(
        (decision) => settle(entering, decision),
        (error: unknown) => {
          depart(key, presence)
          throw error
        },
      )
    },
  }
}

/** The key's own limits on requests. */
function limitsOf(caller: Caller): readonly KeyLimits[] {
  const limits = caller.kind === 'account' ? caller.rights?.limits : undefined
  return limits?.filter(({ perMinute }) => perMinute !== undefined) ?? []
}

/** Counts a request against the key's own limits, before those of the account are used. */
async function takeOwn(burst: RateLimiter, limits: readonly KeyLimits[]): Promise<LimitDecision> {
  let decided: LimitDecision | undefined
  for (const { id, perMinute } of limits) {
    const decision = await burst.take(`key:${id}`, perMinute!)
    if (!decision.allowed) {
      const detail = `${perMinute} requests a minute with this key, as it was made. Other keys of its account have limits of their own.`
      throw new TooManyRequests(decision, decision.retryAfterSeconds, detail)
    }
    decided = decided ? tighter(decided, decision) : decision
  }
  return decided!
}

/** The decision for the headers: the refusal, or the limit that will be reached first. */
function tighter(own: LimitDecision, account: LimitDecision | undefined): LimitDecision {
  if (!account) return own
  return !account.allowed || account.remaining < own.remaining ? account : own
}

/** The limits of a kind of caller; limits set for the account replace them. */
function planOf(usual: Plan, caller: Caller): Plan {
  const own = caller.kind === 'account' ? caller.plan : undefined
  if (!own) return usual
  const { perMinute = usual.perMinute, concurrencyMax = usual.concurrencyMax } = own
  return { perMinute, concurrencyMax }
}

/** The bucket in which a caller is counted. */
function bucketOf(caller: Caller, ip: string, prepaid: boolean): { kind: keyof Plans; key: string } {
  if (caller.kind === 'anonymous' && caller.isLocal === true) return { kind: 'prepaid', key: `local:${ip}` }
  if (caller.kind === 'anonymous') return { kind: 'anonymous', key: `ip:${ip}` }
  if (caller.access === 'public-key') return { kind: 'publicKey', key: `pub:${caller.keyId}:${ip}` }
  return { kind: prepaid ? 'prepaid' : 'free', key: `acc:${caller.accountId}` }
}
