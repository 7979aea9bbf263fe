import type { FastifyReply, FastifyRequest } from 'fastify'
import { extractCredential } from '../guard/credential.ts'
import { AppError, overLimit } from '../kernel/errors.ts'
import type { RateLimiter, KeyLookup } from '../kernel/ports.ts'
import type { RouteLimit } from '../kernel/route.ts'

interface RouteLimitsOptions {
  keys: KeyLookup
  ipOf(request: FastifyRequest): string
  /** A limiter for this process only. */
  openLimiter(): RateLimiter
}

/** The limit for all public pages: high enough for people, and too low for a program to delay payments. */
export const openLimit = (perMinute: number): RouteLimit => ({
  bucket: 'open',
  perMinute,
  refuse: ({ retryAfterSeconds }) =>
    overLimit(`Limit: ${perMinute} requests a minute from one IP address.`, retryAfterSeconds),
})

/**
 * Limits of single routes. Each kind of request is counted separately, so that one caller cannot use up the limit of
 * another.
 */
export class RouteLimits {
  readonly #options: RouteLimitsOptions
  readonly #buckets = new Map<string, RateLimiter>()

  constructor(options: RouteLimitsOptions) {
    this.#options = options
  }

  async take(limit: RouteLimit, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { bucket, perMinuteOfAccount, reported } = limit
    const accountId = perMinuteOfAccount === undefined ? undefined : await this.#findAccountId(request)
    const perMinute = accountId === undefined ? limit.perMinute : perMinuteOfAccount!
    if (perMinute === 0) return
    const counted = accountId === undefined ? this.#options.ipOf(request) : `acc:${accountId}`
    const decision = await this.#limiterOf(bucket).take(counted, perMinute)
    const { allowed, remaining, resetSeconds, retryAfterSeconds } = decision
    if (reported) {
      const left = { 'ratelimit-remaining': remaining, 'ratelimit-reset': resetSeconds }
      void reply.headers({ 'ratelimit-limit': decision.limit, ...left })
    }
    if (allowed) return
    const by = accountId === undefined ? 'address' : 'account'
    throw limit.refuse({ by, perMinute, retryAfterSeconds }, request.params as Record<string, string>)
  }

  #limiterOf(bucket: string): RateLimiter {
    const known = this.#buckets.get(bucket) ?? this.#options.openLimiter()
    this.#buckets.set(bucket, known)
    return known
  }

  /**
   * The account of a secret key in the request. A wrong key counts as none, because a question about a payment is
   * always answered.
   */
  async #findAccountId({ headers, url }: FastifyRequest): Promise<string | undefined> {
    const credential = readCredential(headers, url)
    const owner = credential === undefined ? undefined : await this.#options.keys.find(credential)
    // A key with its own limits counts as none, because here only accounts and addresses are counted.
    return owner?.kind === 'secret' && !owner.rights?.limits.length ? owner.accountId : undefined
  }
}

/** Two different credentials count as none, like a wrong one. */
function readCredential(headers: FastifyRequest['headers'], url: string): string | undefined {
  try {
    return extractCredential({ headers, url, body: undefined, action: undefined })
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
