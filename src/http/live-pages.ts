import { ACCOUNT_NOTICE, readAccountNotice } from '../kernel/account-notice.ts'
import { AppError, overLimit } from '../kernel/errors.ts'
import type { Failures } from '../kernel/failures.ts'
import { PERMISSIONS, type Permission, may } from '../kernel/rights.ts'
import type { Clock, Notices } from '../kernel/ports.ts'
import type { EventStream, StreamEnd } from '../kernel/route.ts'
import type { Session, Sessions } from '../modules/accounts/index.ts'
import { toSessionCaller } from './session.ts'

const STREAMS_PER_ACCOUNT_MAX = 20
const STREAMS_MAX = 2_000
/** At most this long after their session has ended, a page stops receiving events, however quiet the account is. */
const CHECK_EVERY = 15_000
/** How long changes are remembered. A page read before that is notified that everything may have changed. */
const RECENT_MILLISECONDS = 60_000
const RECENT_ACCOUNTS_MAX = 5_000
const EVERYTHING = Object.keys(PERMISSIONS) as Permission[]

interface LivePorts {
  sessions: Pick<Sessions, 'read'>
  notices: Pick<Notices, 'subscribe' | 'onGap'>
  clock: Clock
  failures: Failures
}

interface Follower {
  token: string
  accountId: string
  out: StreamEnd
  /** Changes that the page has not been notified of yet. */
  due: Set<Permission>
  isBeingReported: boolean
  sent: number
  cancelCheck(): void
}

/**
 * Notifies open pages of the dashboard that something of their account has changed, on whichever instance, and sends nothing else:
 * the pages read the change themselves. Before each event the session and its permissions are read again.
 */
export class LivePages {
  readonly #ports: LivePorts
  readonly #followers = new Map<string, Set<Follower>>()
  readonly #recent = new Map<string, Map<Permission, number>>()
  #count = 0
  /** Since when no change has been missed. */
  #receivedSince: number

  constructor(ports: LivePorts) {
    this.#ports = ports
    const { notices, clock } = ports
    this.#receivedSince = clock.now()
    notices.subscribe(ACCOUNT_NOTICE, (text) => {
      const { accountId, about } = readAccountNotice(text)
      this.#note(accountId, about)
      for (const follower of this.#followers.get(accountId) ?? []) this.#notify(follower, about)
    })
    // Changes that were announced during the gap are lost.
    notices.onGap(() => {
      this.#receivedSince = clock.now()
      for (const followers of this.#followers.values()) for (const one of followers) this.#notify(one, EVERYTHING)
    })
  }

  /** A stream for a page that was read at `readAt`, by the clock of all instances. */
  follow(session: Session, token: string, readAt: number): EventStream {
    return { open: (out) => this.#add({ session, token, readAt, out }) }
  }

  #add(page: { session: Session; token: string; readAt: number; out: StreamEnd }): () => void {
    const { session, token, readAt, out } = page
    const accountId = session.account.id
    const followers = this.#followers.get(accountId) ?? new Set<Follower>()
    if (followers.size >= STREAMS_PER_ACCOUNT_MAX) throw tooManyOf(STREAMS_PER_ACCOUNT_MAX)
    if (this.#count >= STREAMS_MAX) this.#makePlace(followers.size)
    const follower: Follower = {
      token,
      accountId,
      out,
      due: new Set(),
      isBeingReported: false,
      sent: 0,
      cancelCheck: () => {},
    }
    this.#followers.set(accountId, followers.add(follower))
    this.#count++
    this.#checkLater(follower)
    this.#notify(follower, this.#changedSince(accountId, readAt))
    return () => this.#leave(follower)
  }

  /** When all streams are taken, the account with the most gives one up; that page is then polled, less often. */
  #makePlace(held: number): void {
    const [most] = [...this.#followers.values()].sort((one, other) => other.size - one.size)
    if (!most || most.size <= held + 1) throw tooManyOf(held)
    const [oldest] = most
    this.#leave(oldest!)
    oldest!.out.end()
  }

  #leave(follower: Follower): void {
    follower.cancelCheck()
    const followers = this.#followers.get(follower.accountId)
    if (!followers?.delete(follower)) return
    this.#count--
    if (followers.size === 0) this.#followers.delete(follower.accountId)
  }

  /** What has changed since the page was read from the store. */
  #changedSince(accountId: string, readAt: number): readonly Permission[] {
    const now = this.#ports.clock.now()
    const since = Math.max(this.#receivedSince, now - RECENT_MILLISECONDS)
    const isKnown = this.#recent.size < RECENT_ACCOUNTS_MAX && readAt >= since && readAt <= now
    if (!isKnown) return EVERYTHING
    return [...(this.#recent.get(accountId) ?? [])].flatMap(([one, at]) => (at >= readAt ? [one] : []))
  }

  #note(accountId: string, about: readonly Permission[]): void {
    const now = this.#ports.clock.now()
    const noted = this.#recent.get(accountId) ?? new Map<Permission, number>()
    for (const one of about) noted.set(one, now)
    // Deleted first, so that the latest change is always the last entry.
    this.#recent.delete(accountId)
    this.#recent.set(accountId, noted)
    for (const [id, times] of this.#recent) {
      const isOld = [...times.values()].every((at) => at <= now - RECENT_MILLISECONDS)
      if (!isOld && this.#recent.size <= RECENT_ACCOUNTS_MAX) break
      this.#recent.delete(id)
    }
  }

  #checkLater(follower: Follower): void {
    follower.cancelCheck = this.#ports.clock.after(CHECK_EVERY, () => {
      this.#checkLater(follower)
      void this.#read(follower)
    })
  }

  #notify(follower: Follower, about: readonly Permission[]): void {
    for (const one of about) follower.due.add(one)
    if (!follower.isBeingReported && follower.due.size > 0) void this.#reportAll(follower)
  }

  /** One event at a time: changes that arrive meanwhile are sent together. */
  async #reportAll(follower: Follower): Promise<void> {
    follower.isBeingReported = true
    // Nothing can be sent before the stream is open.
    await Promise.resolve()
    while (follower.due.size > 0) {
      const due = [...follower.due]
      follower.due.clear()
      const session = await this.#read(follower)
      if (!session) break
      const caller = toSessionCaller(session)
      const seen = due.filter((one) => may(caller, one, 'see'))
      if (seen.length > 0) follower.out.send({ id: String(++follower.sent), name: 'changed', data: seen.join(' ') })
    }
    follower.isBeingReported = false
  }

  /** The session as it is now; without one the stream ends. */
  async #read({ token, accountId, out }: Follower): Promise<Session | undefined> {
    const { sessions, failures } = this.#ports
    try {
      const session = await sessions.read(token)
      if (session?.account.id === accountId && !session.mustEnrol) return session
    } catch (error) {
      // Suspending an account signs its people out; while the store is unavailable no page can follow anything.
      if (!(error instanceof AppError)) failures.lost('live.tell')(error)
    }
    out.end()
    return undefined
  }
}

/** A page whose stream is refused polls instead, and says so. */
function tooManyOf(held: number): AppError {
  const detail =
    held === 0
      ? 'As many pages are followed as this service can; this one is read again now and then.'
      : `${held} pages of this account are followed already; this one is read again now and then. Close another to follow it.`
  return overLimit(detail, 30)
}
