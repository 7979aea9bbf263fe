import type { StoreCtx } from '../../kernel/in-tx.ts'
import { isSoonFound } from '../../kernel/nano/work.ts'
import { type Confirmation } from '../../kernel/ports.ts'
import { type FoundWork, type WorkPort, type WorkRequest } from '../../kernel/work-port.ts'
import { StoredWorks, listPrepared } from './store.ts'

/** In a burst of blocks, work is prepared only for the last one. */
const DEBOUNCE = 1_000
const ACCOUNTS_MAX = 10_000
/** How much work may wait to be prepared: an idle machine does not finish this many before the first become useless. */
const PENDING_MAX = 1_000
const FOLLOWED_MILLISECONDS = 24 * 3_600_000

/** Searches for work. */
export interface WorkSearch {
  readonly engines: readonly unknown[]
  search(request: WorkRequest): Promise<FoundWork>
  cancel(root: string, payer: string): boolean
}

interface WorkGeneratorOptions {
  searches: WorkSearch
  store: StoreCtx
  /** Whether work for the next block of an account is prepared in idle time. */
  precompute: boolean
  onHit?(): void
  /** Called when prepared work is stored, to notify other instances. */
  onPrepared?(root: string): void
}

/** An account for which work is prepared. */
interface Followed {
  /** The root of its next block. */
  root: string
  /** When it last published a block through this gateway. */
  seenAt: number
}

/** Gives out work that is stored, being searched, or prepared. Work that was found is stored for the next request with the same root. */
export class WorkGenerator implements WorkPort {
  readonly #options: WorkGeneratorOptions
  readonly #ready: StoredWorks
  /** The most recently active account is the last. */
  readonly #followed = new Map<string, Followed>()
  readonly #pending = new Map<string, () => void>()
  #closed = false

  constructor(options: WorkGeneratorOptions) {
    this.#options = options
    this.#ready = new StoredWorks(options.store)
  }

  /** Reads from the store for which roots work was prepared. */
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
    // A search this short is quicker than reading the store.
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
   * Called when a block was confirmed. A followed account may publish elsewhere; it is followed for a day after its last block here, because it
   * may have moved to another service.
   */
  note({ account, hash, block }: Confirmation, threshold: bigint): void {
    const known = this.#followed.get(account)
    if (known === undefined || known.root !== block.previous) return
    if (this.#options.store.clock.now() - known.seenAt > FOLLOWED_MILLISECONDS) this.#followed.delete(account)
    else this.#follow(account, { root: hash, seenAt: known.seenAt }, threshold)
  }

  /** Another instance has prepared work for this root, so the search here ends. */
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
      // The search was cancelled, or the machine was too busy.
      this.#options.store.failures.lost('work.ahead')(error)
    }
  }
}

const payerOf = (account: string) => `prepare:${account}`
