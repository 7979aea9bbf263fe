import type { StoreCtx } from '../../kernel/in-tx.ts'
import { isSoonFound } from '../../kernel/nano/work.ts'
import type { Confirmation, FoundWork, WorkPort, WorkRequest } from '../../kernel/ports.ts'
import { StoredWorks, listPrepared } from './store.ts'

/** A burst of blocks prepares only its last. */
const DEBOUNCE = 1_000
const ACCOUNTS_MAX = 10_000
/** More than an idle machine gets through before the first are old. */
const PENDING_MAX = 1_000
const FOLLOWED_MILLISECONDS = 24 * 3_600_000

/** Where searches are made. */
export interface WorkSearch {
  readonly engines: readonly unknown[]
  search(request: WorkRequest): Promise<FoundWork>
  cancel(root: string, payer: string): boolean
}

interface WorkGeneratorOptions {
  searches: WorkSearch
  store: StoreCtx
  /** Whether work for the next block of an account is made in idle time. */
  precompute: boolean
  onHit?(): void
  /** Tells other instances that work for a root is in the store. */
  onPrepared?(root: string): void
}

/** An account that work is prepared for. */
interface Followed {
  /** Of its next block. */
  root: string
  /** When it last published here. */
  seenAt: number
}

/**
 * Everybody's way to work: what is ready, what is searched now, and what is made for later. Whatever is found is kept,
 * and given to the next who asks for the same root.
 */
export class WorkGenerator implements WorkPort {
  readonly #options: WorkGeneratorOptions
  readonly #ready: StoredWorks
  /** The most recently active last. */
  readonly #followed = new Map<string, Followed>()
  readonly #pending = new Map<string, () => void>()
  #closed = false

  constructor(options: WorkGeneratorOptions) {
    this.#options = options
    this.#ready = new StoredWorks(options.store)
  }

  /** Learns from the store which roots it had made work for. */
  async start(): Promise<void> {
    const { db, clock } = this.#options.store
    const seenAt = clock.now()
    for (const { account, root } of (await listPrepared(db, seenAt, ACCOUNTS_MAX)).reverse()) {
      this.#followed.set(account, { root, seenAt })
    }
  }

  close(): void {
    this.#closed = true
    for (const callOff of this.#pending.values()) callOff()
    this.#pending.clear()
  }

  get offered(): boolean {
    return this.#options.searches.engines.length > 0
  }

  async find(root: string, threshold: bigint): Promise<FoundWork | undefined> {
    const found = await this.#ready.find(root, threshold)
    if (found) this.#options.onHit?.()
    return found
  }

  async generate(request: WorkRequest): Promise<FoundWork> {
    // A caller that asks again finds it again, sooner than in a store.
    if (request.class === 'wallet' && isSoonFound(request.threshold)) return this.#options.searches.search(request)
    const ready = await this.find(request.root, request.threshold)
    if (ready) return ready
    const found = await this.#options.searches.search(request)
    await this.#ready.keep(request.root, found, null)
    return found
  }

  markAsked(root: string): Promise<void> {
    return this.#ready.markAsked(root)
  }

  cancel(root: string, payer: string): boolean {
    return this.#options.searches.cancel(root, payer)
  }

  prepare(account: string, root: string, threshold: bigint): void {
    this.#follow(account, { root, seenAt: this.#options.store.clock.now() }, threshold)
  }

  /**
   * A block was confirmed. An account that we prepare for may have moved on without us; it is followed for a day after it
   * was last seen here, because others may have taken it over.
   */
  note({ account, hash, block }: Confirmation, threshold: bigint): void {
    const known = this.#followed.get(account)
    if (known === undefined || known.root !== block.previous) return
    if (this.#options.store.clock.now() - known.seenAt > FOLLOWED_MILLISECONDS) this.#followed.delete(account)
    else this.#follow(account, { root: hash, seenAt: known.seenAt }, threshold)
  }

  /** Another instance has prepared this root: once is enough. */
  noteReady(root: string): void {
    for (const [account, { root: own }] of this.#followed) if (own === root) this.cancel(root, payerOf(account))
  }

  #follow(account: string, next: Followed, threshold: bigint): void {
    if (!this.#options.precompute || this.#closed) return
    const old = this.#followed.get(account)?.root
    this.#followed.delete(account)
    this.#followed.set(account, next)
    if (this.#followed.size > ACCOUNTS_MAX) this.#forgetOldest()
    if (old === next.root) return
    if (old !== undefined) this.cancel(old, payerOf(account))
    void this.#ready.forget(account, old, next.root)
    this.#pending.get(account)?.()
    this.#pending.delete(account)
    if (this.#pending.size >= PENDING_MAX) return
    const callOff = this.#options.store.clock.after(DEBOUNCE, () => {
      this.#pending.delete(account)
      void this.#precompute(account, next.root, threshold)
    })
    this.#pending.set(account, callOff)
  }

  #forgetOldest(): void {
    for (const [account, { root }] of this.#followed) {
      this.#followed.delete(account)
      this.cancel(root, payerOf(account))
      return
    }
  }

  async #precompute(account: string, root: string, threshold: bigint): Promise<void> {
    const isCurrent = () => !this.#closed && this.#followed.get(account)?.root === root
    try {
      if (await this.#ready.find(root, threshold)) return await this.#ready.assign(root, account)
      if (!isCurrent()) return
      const found = await this.#options.searches.search({
        root,
        threshold,
        class: 'precompute',
        payer: payerOf(account),
      })
      if (!isCurrent()) return
      await this.#ready.keep(root, found, account)
      this.#options.onPrepared?.(root)
    } catch (error) {
      // Called off, or there is no time for it.
      this.#options.store.failures.lost('work.ahead')(error)
    }
  }
}

const payerOf = (account: string) => `prepare:${account}`
