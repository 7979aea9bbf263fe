import type { Db } from '../../kernel/db.ts'
import type { Clock, KnownName, NameUse, Names } from '../../kernel/ports.ts'
import type { BuiltIn } from './built-in.ts'
import { type NameLease, statusAt, toNameKey, toSkeleton } from './name.ts'
import { type ChangePosition, findLease, listChanged, listLeases } from './store.ts'

const PAGE = 5_000
/** How soon changes are found whose notices between instances were lost. */
const REFRESH_EVERY = 15_000
/** Clocks of instances differ, and a late commit has an early time, so each refresh looks this far back. */
const LOOK_BACK = 60_000
/** Clocks can also be set back; only reloading all names finds such changes. */
const RELOAD_EVERY = 3_600_000
const BEGINNING: ChangePosition = { changedAt: 0, key: '' }

interface IndexOptions {
  db: Db
  clock: Clock
  builtIn: BuiltIn
  onError(error: unknown): void
}

/**
 * All usernames in memory, so that answers can contain them without querying the store. A change is announced to all instances, and each reads it
 * from the store. A name that is missing here is looked up there, and where money moves, the store is always asked. Whether a lease is
 * valid depends on the time, and is checked on every use.
 */
export class NameIndex implements Names {
  readonly #options: IndexOptions
  readonly #builtIn = new Map<string, KnownName>()
  readonly #builtInOf = new Map<string, string>()
  #isReserved: (name: string) => boolean = () => false
  readonly #leases = new Map<string, NameLease>()
  /** Names whose owners lease them for their own address, by address. */
  readonly #namesOf = new Map<string, Set<string>>()
  #position = BEGINNING
  #reloadedAt = 0
  readonly #running = new Set<Promise<void>>()
  /** Missing names to be looked up, all in one query. */
  #wanted: { keys: Set<string>; found: Promise<void> } | undefined
  #cancelRefresh: (() => void) | undefined
  #stopped = false
  #revision = 0
  /** The next end of a lease or grace period, when answers change without any write. */
  #nextEndAt = Infinity
  #known: { revision: number; names: readonly KnownName[] } | undefined

  constructor(options: IndexOptions) {
    this.#options = options
    this.#addBuiltIn(options.builtIn.names)
  }

  /** Adds built-in names. Of several entries of a name the first counts, and so does the first name of an address. */
  #addBuiltIn(names: readonly KnownName[]): void {
    for (const known of names) {
      const key = known.name.toLowerCase()
      if (this.#builtIn.has(key)) continue
      this.#builtIn.set(key, known)
      if (!this.#builtInOf.has(known.address)) this.#builtInOf.set(known.address, known.name)
    }
    this.#isReserved = reservedWords([...this.#options.builtIn.reserved, ...this.#builtIn.keys()])
  }

  /** Loads all names and keeps them up to date from then on. `more` are built-in names that were not known before. */
  async start(more: readonly KnownName[] = []): Promise<void> {
    this.#addBuiltIn(more)
    await this.#readChanges()
    this.#refreshLater()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelRefresh?.()
    await Promise.all(this.#running)
  }

  get revision(): number {
    if (this.#options.clock.now() >= this.#nextEndAt) {
      this.#revision++
      this.#nextEndAt = Infinity
      for (const lease of this.#leases.values()) this.#expectEnd(lease)
    }
    return this.#revision
  }

  resolve(name: string, use: NameUse): string | undefined | Promise<string | undefined> {
    const key = toNameKey(name)
    if (key === undefined) return undefined
    if (use === 'money') return this.#resolveForMoney(key)
    return this.#find(key) ?? this.#lookFor(key).then(() => this.#find(key))
  }

  usernameOf(address: string): string | undefined {
    const now = this.#options.clock.now()
    let first: NameLease | undefined
    for (const key of this.#namesOf.get(address) ?? []) {
      const lease = this.#leases.get(key)!
      if (statusAt(lease, now) !== 'leased') continue
      if (!first || lease.createdAt < first.createdAt) first = lease
    }
    return first?.name ?? this.#builtInOf.get(address)
  }

  isReserved(name: string): boolean {
    return this.#isReserved(name)
  }

  known(): readonly KnownName[] {
    const { revision } = this
    if (this.#known?.revision !== revision) this.#known = { revision, names: this.#listKnown() }
    return this.#known.names
  }

  aliases(): readonly { account: string; alias: string }[] {
    return this.#options.builtIn.aliases.map(({ account, alias }) => ({ account, alias }))
  }

  /** Called when a name has changed, on any instance. */
  note(key: string): void {
    this.#inBackground(() => this.learn(key))
  }

  /** Reads one name from the store, so that an instance knows a change before anyone is notified of it. */
  async learn(key: string): Promise<void> {
    const lease = await findLease(this.#options.db, key)
    if (lease) this.#put(lease)
  }

  /** Loads all names again, because notices may have been lost. */
  reload(): void {
    this.#reloadedAt = 0
    this.#inBackground(() => this.#readChanges())
  }

  #lookFor(key: string): Promise<void> {
    if (this.#wanted) {
      this.#wanted.keys.add(key)
      return this.#wanted.found
    }
    const keys = new Set([key])
    const found = Promise.resolve().then(async () => {
      this.#wanted = undefined
      for (const lease of await listLeases(this.#options.db, [...keys])) this.#put(lease)
    })
    this.#wanted = { keys, found }
    return found
  }

  #find(key: string): string | undefined {
    const lease = this.#leases.get(key)
    if (lease && statusAt(lease, this.#options.clock.now()) !== 'available') return lease.address
    return this.#builtIn.get(key)?.address
  }

  /** During its grace period a name still belongs to its owner, but no money may follow it (contract 1, rule 17). */
  async #resolveForMoney(key: string): Promise<string | undefined> {
    const lease = await findLease(this.#options.db, key)
    const status = lease ? statusAt(lease, this.#options.clock.now()) : 'available'
    if (status === 'available') return this.#builtIn.get(key)?.address
    return status === 'leased' ? lease!.address : undefined
  }

  #listKnown(): KnownName[] {
    const now = this.#options.clock.now()
    const names = new Map(this.#builtIn)
    for (const [key, lease] of this.#leases) {
      const status = statusAt(lease, now)
      if (status === 'leased') names.set(key, lease)
      else if (status === 'grace') names.delete(key)
    }
    return [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, known]) => known)
  }

  async #readChanges(): Promise<void> {
    const now = this.#options.clock.now()
    const isWhole = now - this.#reloadedAt >= RELOAD_EVERY || now < this.#reloadedAt
    let at = isWhole ? BEGINNING : { changedAt: this.#position.changedAt - LOOK_BACK, key: '' }
    for (;;) {
      const page = await listChanged(this.#options.db, at, PAGE)
      for (const lease of page) this.#put(lease)
      const last = page.at(-1)
      if (last) at = { changedAt: last.changedAt, key: last.key }
      if (page.length < PAGE) break
    }
    if (isWhole) this.#reloadedAt = now
    this.#position = at
  }

  #refreshLater(): void {
    if (this.#stopped) return
    this.#cancelRefresh = this.#options.clock.after(REFRESH_EVERY, () => {
      this.#inBackground(() => this.#readChanges().finally(() => this.#refreshLater()))
    })
  }

  #inBackground(run: () => Promise<void>): void {
    if (this.#stopped) return
    const running = run()
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  #put(lease: NameLease): void {
    const old = this.#leases.get(lease.key)
    // Two reads may finish in the wrong order.
    if (old && old.changedAt >= lease.changedAt) return
    if (old) this.#namesOf.get(old.owner)?.delete(old.key)
    this.#leases.set(lease.key, lease)
    // A name that another account has pointed at an address does not identify that address.
    if (lease.owner === lease.address) {
      const names = this.#namesOf.get(lease.owner) ?? new Set()
      this.#namesOf.set(lease.owner, names.add(lease.key))
    }
    this.#revision++
    this.#expectEnd(lease)
  }

  #expectEnd({ expiresAt, graceUntil }: NameLease): void {
    const now = this.#options.clock.now()
    const end = expiresAt > now ? expiresAt : graceUntil
    if (end > now && end < this.#nextEndAt) this.#nextEndAt = end
  }
}

/** Names that could pass for the service, its pages, the ledger or well-known companies, and words that break programs. */
const RESERVED = `
  about abuse account accounts action actions admin administrator admins alias aliases api app apps assets auth billing
  blog bot bots buy callback cdn check checkout claim claims client config confirm contact cookie credits currency
  dashboard default dev developer developers devnet docs donate donation donations download email escrow events
  everybody everyone exchange export facilitator faucet feedback file files fund funds gateway genesis health help home
  host hostmaster http https info invoice invoices jobs json key keys known ledger legal link links login logout mail
  market me merchant metrics mod moderator money name names network news node nodes noreply notify null official
  openapi operator owner page pages pay payment payments payout ping postmaster press price pricing privacy process
  public receive receipt refund refunds register rep reports representative representatives reps reserved rest root
  rpc sales secret secure security seed send server service services session settings shop sign signin signup staff
  stats status store support swap sweep sysadmin system team template terms test tip tips token tos treasury true undefined
  user username usernames users verify version wallet wallets web webhook webhooks webmaster websocket wellknown work
  www x402 false nan infinity constructor prototype proto
  nano nanocurrency nanofoundation nanogateway nanonode nanoto raiblocks rai xno xrb xnoexchange banano ban raw
  binance bitcoin bitfinex bitget bitpay bitstamp bybit coinbase coingecko coinmarketcap ethereum gateio huobi kraken
  kucoin ledgerlive mastercard mexc metamask nanovault nanswap natrium nault nautilus okex okx paypal revolut stripe
  tether trezor usdc usdt visa wirex
`
  .trim()
  .split(/\s+/)

/** Matches reserved words, including look-alike spellings. */
function reservedWords(more: Iterable<string>): (name: string) => boolean {
  const skeletons = new Set([...RESERVED, ...more].map(toSkeleton))
  return (name) => skeletons.has(toSkeleton(name))
}
