import { AppError } from '../../../kernel/errors.ts'
import type { RouteLimit } from '../../../kernel/route.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { toCheckoutId } from '../wire-fields.ts'

/** How many checkouts' last statuses are kept, for clients that exceed their limit. */
const REPORTED_MAX = 10_000

/** Requests a minute for one network address, and for an account with a secret key; 0 means no limit. */
export interface PayPerMinute {
  address: number
  account: number
}

/** Keeps the last status sent, so that a poller over its limit still gets a status with its 429. */
export class LastReported {
  readonly #statuses = new Map<string, string>()

  note(shown: JsonObject): JsonObject {
    const { id, status } = shown
    this.#statuses.delete(id as string)
    this.#statuses.set(id as string, status as string)
    if (this.#statuses.size > REPORTED_MAX) this.#statuses.delete(this.#statuses.keys().next().value!)
    return shown
  }

  recall(given: string): JsonObject {
    const id = toCheckoutId(given)
    const status = id === undefined ? undefined : this.#statuses.get(id)
    return id === undefined || status === undefined ? {} : { id, status }
  }
}

/** A shop's server asks for many payers: with a secret key requests count for the account, otherwise for the network address. */
export function payLimit({ address, account }: PayPerMinute, reported: LastReported): RouteLimit {
  return {
    bucket: 'pay',
    perMinute: address,
    perMinuteOfAccount: account,
    reported: true,
    refuse({ by, perMinute, retryAfterSeconds }, { id = '' }) {
      const detail =
        by === 'address'
          ? `${perMinute} requests a minute about checkouts from one address. With a secret key they count by account, which has more.`
          : `${perMinute} requests a minute about checkouts of one account. Its webhooks and event streams report changes without polling.`
      const body = { detail, ...reported.recall(id) }
      return new AppError('too_many_requests', 'Too many requests.', { retryAfterSeconds, body })
    },
  }
}
