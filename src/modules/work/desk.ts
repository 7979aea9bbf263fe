import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Confirmation, FoundWork, WorkPort, WorkRequest } from '../../kernel/ports.ts'
import { ReadyWorks } from './ready-works.ts'
import { listPrepared } from './store.ts'

/** A burst of blocks prepares only its last. */
const DEBOUNCE = 1_000
const ACCOUNTS_MAX = 10_000
/** More than an idle machine gets through before the first are old. */
const PENDING_MAX = 1_000

/** Where searches are made. */
export interface WorkSearch {
  search(request: WorkRequest): Promise<FoundWork>
  cancel(root: string, payer: string): boolean
}

export interface WorkDeskOptions {
  searches: WorkSearch
  store: StoreCtx
  /** Whether work for the next block of an account is made in idle time. */
  precompute: boolean
  onHit?(): void
}

/**
 * Everybody's way to work: what is ready, what is searched now, and what is made for later. Whatever is found is kept,
 * and given to the next who asks for the same root.
 */
export class WorkDesk implements WorkPort {
  readonly #options: WorkDeskOptions
  readonly #ready: ReadyWorks
  /** The root of the next block of each account we prepare for; the most recently active last. */
  readonly #roots = new Map<string, string>()
  readonly #pending = new Map<string, () => void>()

  constructor(options: WorkDeskOptions) {
    this.#options = options
    this.#ready = new ReadyWorks(options.store)
  }

  /** Learns from the store which roots it had made work for. */
  async start(): Promise<void> {
    const { db, clock } = this.#options.store
    for (const { account, root } of (await listPrepared(db, clock.now(), ACCOUNTS_MAX)).reverse()) {
      this.#roots.set(account, root)
    }
  }

  close(): void {
    for (const callOff of this.#pending.values()) callOff()
    this.#pending.clear()
  }

  async find(root: string, threshold: bigint): Promise<FoundWork | undefined> {
    const found = await this.#ready.find(root, threshold)
    if (found) this.#options.onHit?.()
    return found
  }

  async generate(request: WorkRequest): Promise<FoundWork> {
    const ready = await this.find(request.root, request.threshold)
    if (ready) return ready
    const found = await this.#options.searches.search(request)
    await this.#ready.keep(request.root, found, null)
    return found
  }

  cancel(root: string, payer: string): boolean {
    return this.#options.searches.cancel(root, payer)
  }

  prepare(account: string, root: string, threshold: bigint): void {
    if (!this.#options.precompute || this.#roots.get(account) === root) return
    const old = this.#roots.get(account)
    if (old !== undefined) this.cancel(old, payerOf(account))
    this.#roots.delete(account)
    this.#roots.set(account, root)
    if (this.#roots.size > ACCOUNTS_MAX) this.#roots.delete(this.#roots.keys().next().value!)
    void this.#ready.forget(account, old, root)
    this.#pending.get(account)?.()
    this.#pending.delete(account)
    if (this.#pending.size >= PENDING_MAX) return
    const callOff = this.#options.store.clock.after(DEBOUNCE, () => {
      this.#pending.delete(account)
      void this.#precompute(account, root, threshold)
    })
    this.#pending.set(account, callOff)
  }

  /** A block was confirmed. An account that we prepare for may have moved on without us. */
  note({ account, hash, block }: Confirmation, threshold: bigint): void {
    const root = this.#roots.get(account)
    if (root !== undefined && root === block.previous) this.prepare(account, hash, threshold)
  }

  async #precompute(account: string, root: string, threshold: bigint): Promise<void> {
    try {
      if (await this.#ready.find(root, threshold)) return
      const found = await this.#options.searches.search({
        root,
        threshold,
        class: 'precompute',
        payer: payerOf(account),
      })
      if (this.#roots.get(account) === root) await this.#ready.keep(root, found, account)
    } catch {
      // Called off, or there is no time for it: whoever needs it asks then.
    }
  }
}

const payerOf = (account: string) => `prepare:${account}`
