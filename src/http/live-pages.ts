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
/** When a session has ended, its page receives events at most this much longer. */
const CHECK_EVERY = 15_000
/** How long changes are remembered. A page that was read earlier is notified that anything may have changed. */
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
  /** Changes of which the page has not been notified. */
  due: Set<Permission>
  isBeingReported: boolean
  sent: number
  cancelCheck(): void
}

/**
 * Notifies open dashboard pages that something of their account has changed, whichever instance changed it. An event
 * contains nothing else: the page reads the change itself. Before each event the session and its permissions are read
 * again.
 */
export class LivePages {
  readonly #ports: LivePorts
  readonly #followers = new Map<string, Set<Follower>>()
  readonly #recent = new Map<string, Map<Permission, number>>()
  #count = 0
  /** Since this time no change was missed. */
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
    // Changes announced while the connection was down are lost.
    notices.onGap(() => {
      this.#receivedSince = clock.now()
      for (const followers of this.#followers.values()) for (const one of followers) this.#notify(one, EVERYTHING)
    })
  }

  /** Opens a stream for a page that was read at `readAt`, by the clock shared by all instances. */
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

  /** When there are too many streams, the account with the most loses one; that page then polls, less often. */
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

  /** What has changed since the page was read. */
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
    // Deleted first, so that the entry moves to the end of the map.
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

  /** Sends one event at a time; changes that arrive meanwhile are sent together in the next one. */
  async #reportAll(follower: Follower): Promise<void> {
    follower.isBeingReported = true
    // Wait one turn: nothing can be sent before the stream is open.
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

  /** Reads the session again; if it has ended, the stream ends. */
  async #read({ token, accountId, out }: Follower): Promise<Session | undefined> {
    const { sessions, failures } = this.#ports
    try {
      const session = await sessions.read(token)
      if (session?.account.id === accountId && !session.mustEnrol) return session
    } catch (error) {
      // Suspending an account ends its sessions. While the store is unavailable, no page gets events.
      if (!(error instanceof AppError)) failures.lost('live.tell')(error)
    }
    out.end()
    return undefined
  }
}

/** The refusal of a stream; the page then polls, and shows that it does. */
function tooManyOf(held: number): AppError {
  const detail =
    held === 0
      ? 'As many pages are followed as this service can; this one is read again now and then.'
      : `${held} pages of this account are followed already; this one is read again now and then. Close another to follow it.`
  return overLimit(detail, 30)
}
