import type { Caller } from '../kernel/ctx.ts'
import { AppError } from '../kernel/errors.ts'
import type { BurstDecision, BurstLimits } from '../kernel/ports.ts'

/** What a kind of caller may do; 0 means no limit. */
interface Plan {
  perMinute: number
  concurrencyMax: number
}

export interface Plans {
  anonymous: Plan
  free: Plan
  prepaid: Plan
}

/** A request that was let in. */
export interface Entry {
  /** For the RateLimit headers; none where there is no limit. */
  decision: BurstDecision | undefined
  /** Makes room for the caller's next request. Call it when the request is over, however it ended. */
  leave(): void
}

export interface Throttle {
  /** Lets a request in or refuses it (429). Answers at once whenever the limiter does. */
  enter(caller: Caller, ip: string, prepaid: boolean): Entry | Promise<Entry>
}

interface ThrottleOptions {
  burst: BurstLimits
  plans: Plans
}

/** Over a limit. It carries the numbers of the RateLimit headers, as every answer does. */
export class TooManyRequests extends AppError {
  readonly decision: BurstDecision | undefined

  constructor(decision: BurstDecision | undefined, retryAfterSeconds: number) {
    // Where it was thrown is known and costs more than all the rest to write down, in the midst of a flood.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super('too_many_requests', 'Too many requests.', { retryAfterSeconds })
    Error.stackTraceLimit = stackTraceLimit
    this.decision = decision
  }
}

/** The running requests of one caller. */
interface Presence {
  running: number
  decision: BurstDecision | undefined
}

/**
 * The limits of callers: how many requests in a minute and how many at once. Both or none: the place is taken first,
 * and given back when the minute's allowance is used up, so that a refused request consumes nothing.
 */
export function createThrottle({ burst, plans }: ThrottleOptions): Throttle {
  const presences = new Map<string, Presence>()

  const arrive = (key: string, concurrencyMax: number): Presence => {
    let presence = presences.get(key)
    if (presence && concurrencyMax > 0 && presence.running >= concurrencyMax) {
      throw new TooManyRequests(presence.decision, 1)
    }
    if (!presence) presences.set(key, (presence = { running: 0, decision: undefined }))
    presence.running++
    return presence
  }
  const depart = (key: string, presence: Presence) => {
    if (--presence.running === 0) presences.delete(key)
  }
  const settle = (key: string, presence: Presence, decision: BurstDecision | undefined): Entry => {
    if (decision) presence.decision = decision
    if (decision && !decision.allowed) {
      depart(key, presence)
      throw new TooManyRequests(decision, decision.retryAfterSeconds)
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
      const anonymous = caller.kind === 'anonymous'
      const { perMinute, concurrencyMax } = anonymous ? plans.anonymous : prepaid ? plans.prepaid : plans.free
      const key = anonymous ? `ip:${ip}` : `acc:${caller.accountId}`
      const presence = arrive(key, concurrencyMax)
      if (perMinute === 0) return settle(key, presence, undefined)
      const decision = burst.take(key, perMinute)
      if (!(decision instanceof Promise)) return settle(key, presence, decision)
      return decision.then(
        (decision) => settle(key, presence, decision),
        (error: unknown) => {
          depart(key, presence)
          throw error
        },
      )
    },
  }
}
