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
/** However quiet an account is, nobody follows it for longer than this after their session has ended. */
const CHECK_EVERY = 15_000
/** How long it is known what has changed: a page that was read before that is told that everything may have. */
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
  /** What it has to be told. */
  due: Set<Permission>
  isBeingTold: boolean
  told: number
  cancelCheck(): void
}

/**
 * Tells open pages of the dashboard that something of their account has changed, on whichever instance, and nothing else: what it is
 * they read themselves. Each time it is asked anew whose session it is, and what its holder may see.
 */
export class LivePages {
  readonly #ports: LivePorts
  readonly #followers = new Map<string, Set<Follower>>()
  readonly #recent = new Map<string, Map<Permission, number>>()
  #count = 0
  /** From when on every change was heard of. */
  #heardSince: number

  constructor(ports: LivePorts) {
    this.#ports = ports
    const { notices, clock } = ports
    this.#heardSince = clock.now()
    notices.subscribe(ACCOUNT_NOTICE, (text) => {
      const { accountId, about } = readAccountNotice(text)
      this.#note(accountId, about)
      for (const follower of this.#followers.get(accountId) ?? []) this.#tell(follower, about)
    })
    // What was said meanwhile has escaped us.
    notices.onGap(() => {
      this.#heardSince = clock.now()
      for (const followers of this.#followers.values()) for (const one of followers) this.#tell(one, EVERYTHING)
    })
  }

  /** A stream for a page that was read at a time, by the clock of all instances. */
  follow(session: Session, token: string, readAt: number): EventStream {
    return { open: (out) => this.#add({ session, token, readAt, out }) }
  }

  #add(page: { session: Session; token: string; readAt: number; out: StreamEnd }): () => void {
    const { session, token, readAt, out } = page
    const accountId = session.account.id
    const followers = this.#followers.get(accountId) ?? new Set<Follower>()
    if (followers.size >= STREAMS_PER_ACCOUNT_MAX) throw tooManyOf(STREAMS_PER_ACCOUNT_MAX)
    if (this.#count >= STREAMS_MAX) this.#makeRoom(followers.size)
    const follower: Follower = {
      token,
      accountId,
      out,
      due: new Set(),
      isBeingTold: false,
      told: 0,
      cancelCheck: () => {},
    }
    this.#followers.set(accountId, followers.add(follower))
    this.#count++
    this.#checkLater(follower)
    this.#tell(follower, this.#changedSince(accountId, readAt))
    return () => this.#leave(follower)
  }

  /** Where all are taken, those who have the most give one up to who has less: its page is read again by itself, more rarely. */
  #makeRoom(held: number): void {
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

  /** What has changed while a page was on its way to its reader. */
  #changedSince(accountId: string, readAt: number): readonly Permission[] {
    const now = this.#ports.clock.now()
    const since = Math.max(this.#heardSince, now - RECENT_MILLISECONDS)
    const isKnown = this.#recent.size < RECENT_ACCOUNTS_MAX && readAt >= since && readAt <= now
    if (!isKnown) return EVERYTHING
    return [...(this.#recent.get(accountId) ?? [])].flatMap(([one, at]) => (at >= readAt ? [one] : []))
  }

  #note(accountId: string, about: readonly Permission[]): void {
    const now = this.#ports.clock.now()
    const noted = this.#recent.get(accountId) ?? new Map<Permission, number>()
    for (const one of about) noted.set(one, now)
    // The one that was told of last stands last.
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

  #tell(follower: Follower, about: readonly Permission[]): void {
    for (const one of about) follower.due.add(one)
    if (!follower.isBeingTold && follower.due.size > 0) void this.#tellAll(follower)
  }

  /** One at a time: what comes meanwhile is told together. */
  async #tellAll(follower: Follower): Promise<void> {
    follower.isBeingTold = true
    // The stream tells nothing before it is open.
    await Promise.resolve()
    while (follower.due.size > 0) {
      const due = [...follower.due]
      follower.due.clear()
      const session = await this.#read(follower)
      if (!session) break
      const caller = toSessionCaller(session)
      const seen = due.filter((one) => may(caller, one, 'see'))
      if (seen.length > 0) follower.out.send({ id: String(++follower.told), name: 'changed', data: seen.join(' ') })
    }
    follower.isBeingTold = false
  }

  /** Whose session it is now; a stream without one ends. */
  async #read({ token, accountId, out }: Follower): Promise<Session | undefined> {
    const { sessions, failures } = this.#ports
    try {
      const session = await sessions.read(token)
      if (session?.account.id === accountId && !session.mustEnrol) return session
    } catch (error) {
      // People of a suspended account are signed out with it; a store that is away lets nobody follow anything.
      if (!(error instanceof AppError)) failures.lost('live.tell')(error)
    }
    out.end()
    return undefined
  }
}

/** Pages whose stream is refused are read again by themselves, and say so. */
function tooManyOf(held: number): AppError {
  const detail =
    held === 0
      ? 'As many pages are followed as this service can; this one is read again now and then.'
      : `${held} pages of this account are followed already; this one is read again now and then. Close another to follow it.`
  return overLimit(detail, 30)
}
