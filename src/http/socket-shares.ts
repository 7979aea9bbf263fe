/** Accounts that one subscription, one network address and all clients together may watch: each costs memory, and reads after a gap. */
const OF_SUBSCRIPTION_MAX = 10_000
const OF_ADDRESS_MAX = 20_000
const OF_ALL_MAX = 200_000

interface Share {
  sockets: number
  accounts: number
}

/**
 * Who has how much of what websocket clients share. Beside the caps, no client grows beyond half of what would be free without
 * them: something is left for the next address, however many came before.
 */
export class SocketShares {
  readonly #byAddress = new Map<string, Share>()
  readonly #socketsMax: number
  #watched = 0

  /** @param socketsMax of one address; 0 is no limit. */
  constructor(socketsMax: number) {
    this.#socketsMax = socketsMax
  }

  mayEnter(address: string): boolean {
    return this.#socketsMax === 0 || (this.#byAddress.get(address)?.sockets ?? 0) < this.#socketsMax
  }

  enter(address: string): void {
    this.#shareOf(address).sockets++
  }

  leave(address: string): void {
    const share = this.#shareOf(address)
    if (--share.sockets === 0) this.#byAddress.delete(address)
  }

  /** Why a subscription cannot change from so many accounts to so many others; undefined when it can. */
  refuse(address: string, { has, wants }: { has: number; wants: number }): string | undefined {
    if (wants <= has) return undefined
    if (wants > OF_SUBSCRIPTION_MAX) return `A subscription takes at most ${OF_SUBSCRIPTION_MAX} accounts.`
    const { accounts } = this.#shareOf(address)
    const then = accounts - has + wants
    if (then > OF_ADDRESS_MAX) return `One address watches at most ${OF_ADDRESS_MAX} accounts.`
    const freeWithoutIt = OF_ALL_MAX - this.#watched + accounts
    return then > freeWithoutIt / 2 ? 'No more accounts can be watched here.' : undefined
  }

  count(address: string, change: 1 | -1): void {
    this.#watched += change
    this.#shareOf(address).accounts += change
  }

  #shareOf(address: string): Share {
    let share = this.#byAddress.get(address)
    if (!share) this.#byAddress.set(address, (share = { sockets: 0, accounts: 0 }))
    return share
  }
}
