import type { Notices } from '../kernel/ports.ts'
import type { Permission } from '../kernel/rights.ts'
import { toAccountNotice } from '../kernel/account-notice.ts'

/**
 * How long changes of an account are collected. A shop with many payments a second then sends at most five notices a
 * second.
 */
const GATHERED_MILLISECONDS = 200

/**
 * Notifies every instance of which accounts have changed, and in what. A crash loses notices; open pages then find the
 * change by polling.
 */
export class AccountNotices {
  readonly #notices: Pick<Notices, 'deliver'>
  readonly #waiting = new Map<string, { about: Set<Permission>; timer: NodeJS.Timeout }>()

  constructor(notices: Pick<Notices, 'deliver'>) {
    this.#notices = notices
  }

  notify(accountId: string, about: readonly Permission[]): void {
    const waiting = this.#waiting.get(accountId)
    if (waiting) {
      for (const one of about) waiting.about.add(one)
      return
    }
    const timer = setTimeout(() => void this.#send(accountId), GATHERED_MILLISECONDS)
    timer.unref()
    this.#waiting.set(accountId, { about: new Set(about), timer })
  }

  /** Sends what is still collected now, because the store that carries notices is closed next. */
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
