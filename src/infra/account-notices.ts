import type { Notices } from '../kernel/ports.ts'
import type { Permission } from '../kernel/rights.ts'
import { toAccountNotice } from '../kernel/account-notice.ts'

/** How long changes of an account are gathered: a shop with many payments a second tells of itself five times in one. */
const GATHERED_MILLISECONDS = 200

/** Tells every instance whose accounts have changed, and in what; lost with a crash, which open pages survive by looking again. */
export class AccountNotices {
  readonly #notices: Pick<Notices, 'deliver'>
  readonly #waiting = new Map<string, { about: Set<Permission>; timer: NodeJS.Timeout }>()

  constructor(notices: Pick<Notices, 'deliver'>) {
    this.#notices = notices
  }

  tell(accountId: string, about: readonly Permission[]): void {
    const waiting = this.#waiting.get(accountId)
    if (waiting) {
      for (const one of about) waiting.about.add(one)
      return
    }
    const timer = setTimeout(() => void this.#send(accountId), GATHERED_MILLISECONDS)
    timer.unref()
    this.#waiting.set(accountId, { about: new Set(about), timer })
  }

  /** What waits is told now: later the store, which carries it to others, is closed. */
  async close(): Promise<void> {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer)
    await Promise.all([...this.#waiting.keys()].map((accountId) => this.#send(accountId)))
  }

  async #send(accountId: string): Promise<void> {
    const { about } = this.#waiting.get(accountId)!
    this.#waiting.delete(accountId)
    await this.#notices.deliver(...toAccountNotice({ accountId, about: [...about] }))
  }
}
