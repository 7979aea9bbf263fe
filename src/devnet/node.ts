import type { Raw } from '../kernel/money.ts'
import type { PublicKey } from '../kernel/nano/address.ts'
import { type Block, hashBlock } from '../kernel/nano/block.ts'
import { DEV_NETWORK } from '../kernel/nano/network.ts'
import { WORK_THRESHOLDS } from '../kernel/nano/work.ts'
import type { Random } from '../kernel/ports.ts'
import { NodeRefusal, refusal } from '../kernel/nano/node-request.ts'
import { Candidate } from './validate.ts'
import { Elections } from './elections.ts'
import { Faults } from './faults.ts'
import { Bank } from './fund.ts'
import { Fork, Untouched } from './fork/fork.ts'
import { FORK_BANK, type Voter, votersOf } from './genesis.ts'
import { LedgerClock } from './ledger-clock.ts'
import { type Applied, Ledger, type Processed } from './ledger.ts'
import {
  type ConfirmationType,
  NODE_VERSIONS,
  type NodeEvent,
  type NodeOptions,
  type NodeVersion,
  type Tally,
  sumOf,
} from './node-options.ts'
import type { StoredBlock } from './records.ts'
import { Snapshots } from './snapshots.ts'
import { LedgerStore } from './store.ts'
import { UncheckedBlocks, needOf } from './unchecked.ts'
import { WorkSearches } from './work-search.ts'
import { BatchWriter, LedgerClosed } from './writer.ts'

/**
 * The development ledger with the behaviour of a node: accepts blocks, holds elections that all confirm, and notifies
 * listeners.
 */
export class LedgerNode {
  readonly ledger: Ledger
  readonly unchecked = new UncheckedBlocks()
  readonly work: WorkSearches
  readonly version: NodeVersion
  readonly fork: Fork | undefined
  readonly #network: string
  /** The ledger's own time, which can be set. */
  readonly clock: LedgerClock
  readonly random: Random
  readonly genesisIsClosed: boolean
  /** In seconds, measured with the machine's clock. */
  readonly uptime: () => number
  readonly elections: Elections
  readonly faults: Faults
  readonly snapshots: Snapshots
  readonly onFailure: (error: unknown) => void
  readonly voters: readonly Voter[]
  /** The weight that was online at the start. As in the node, it is not recomputed for each block. */
  onlineWeight = 0n
  readonly #store: LedgerStore
  readonly #writer: BatchWriter
  readonly #confirmAfter: readonly [least: number, most: number]
  readonly #listeners = new Set<(event: NodeEvent) => void>()
  /** Called after every change, also when blocks are removed, which websocket clients are not notified about. */
  readonly onChange = new Set<() => void>()
  readonly #bank = new Bank(this)
  /**
   * Counts reverts and replacements of the ledger, so that timers of an earlier ledger do nothing on the current one.
   */
  #era = 0

  constructor(options: NodeOptions) {
    this.#network = options.network ?? DEV_NETWORK.name
    this.version = options.version ?? NODE_VERSIONS[27]
    this.clock = new LedgerClock(options.clock)
    this.elections = new Elections(this.clock)
    this.faults = new Faults(options.clock)
    this.snapshots = new Snapshots(this)
    this.random = options.random
    this.work = new WorkSearches(options.random)
    const startedAt = options.clock.now()
    this.uptime = () => Math.floor((options.clock.now() - startedAt) / 1000)
    this.onFailure = options.onFailure ?? ((error) => process.emitWarning(String(error)))
    this.genesisIsClosed = options.genesisIsClosed ?? false
    const { confirmAfterMilliseconds: span = 0 } = options
    this.#confirmAfter = typeof span === 'number' ? [span, span] : span
    this.#store = new LedgerStore(options.file)
    this.fork = options.fork && new Fork(this.#store, options.fork)
    const genesis = options.fork ? FORK_BANK : options.genesis
    this.ledger = new Ledger(this.#store, this.clock, options.thresholds ?? WORK_THRESHOLDS.dev, genesis)
    this.voters = votersOf(this.ledger.genesis, options.representatives ?? 1)
    this.lookAtWeight()
    this.#writer = new BatchWriter(this.#store)
    // Confirms at once what an earlier process left unconfirmed.
    this.#store.inTransaction(() => this.#confirmWaiting([]))
  }

  /** Reads what a fork needs before its first request. */
  async open(): Promise<void> {
    await this.fork?.open(Math.floor(this.clock.now() / 1000), (run) => this.writeAlone(run))
  }

  /** Which network this is: that of the fork, or its own. */
  get identity(): { network: string; genesis: string } {
    return this.fork?.origin ?? { network: this.#network, genesis: this.ledger.genesis.hash }
  }

  /** Runs a read of the ledger; a fork fetches what is missing and runs it again. */
  async reading<T>(look: () => T | Promise<T>): Promise<T> {
    return this.fork ? this.fork.reading(look) : look()
  }

  listen(listener: (event: NodeEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Validates and stores a block. `check` runs immediately before, on the same state of the ledger. */
  async process(
    block: Block,
    { force = false, check }: { force?: boolean; check?: (candidate: Candidate) => void } = {},
  ): Promise<Processed> {
    const candidate = new Candidate(block)
    candidate.prepare()
    const process = (events: NodeEvent[]): Processed => {
      check?.(candidate)
      const result = this.ledger.process(candidate)
      if ('refused' in result && result.refused === 'Fork' && force) return this.#replaceFork(candidate, events)
      this.follow(block, result, events)
      return result
    }
    return this.reading(() => this.write(process))
  }

  /** Sends from the genesis account. */
  fund(account: PublicKey, amount: Raw): Promise<string> {
    return this.#bank.send(account, amount)
  }

  /** Whether new blocks stay unconfirmed. */
  get holds(): boolean {
    return this.elections.held
  }

  /** Leaves new blocks unconfirmed until `confirm` or `release`. */
  hold(): void {
    this.elections.held = true
  }

  /** Confirms all waiting blocks in order, and new blocks automatically again. */
  async release(): Promise<void> {
    this.elections.held = false
    await this.write((events) => this.#confirmWaiting(events))
  }

  /** Confirms one block and its dependencies. */
  async confirm(hash: string): Promise<void> {
    await this.write((events) => {
      if (!this.#store.hasBlock(hash)) throw refusal('Block not found')
      this.confirmNow(hash, events)
    })
  }

  /** Deletes an unconfirmed block and everything built on it, as if it had lost a fork. */
  async drop(hash: string): Promise<string[]> {
    return this.write(() => {
      const stored = this.#store.findBlock(hash)
      if (!stored) throw refusal('Block not found')
      if (this.ledger.isConfirmed(stored)) throw refusal('Block is confirmed')
      return this.takeBack(hash)
    })
  }

  /** Starts an election for a block. If the block is confirmed, only its confirmation is sent again, as by the node. */
  requestElection(stored: StoredBlock): void {
    if (this.ledger.isConfirmed(stored)) this.#emit([this.#confirmed(stored, 'active_confirmation_height')])
    else this.elections.asked.add(stored.hash)
  }

  /** Whether a block has an open election: its dependencies are confirmed, or a client asked for one. */
  isActive(stored: StoredBlock): boolean {
    if (this.ledger.isConfirmed(stored)) return false
    if (this.elections.asked.has(stored.hash)) return true
    return this.ledger.dependenciesOf(stored).every((hash) => this.ledger.isConfirmed(this.#store.findBlock(hash)!))
  }

  /** Waits for accepted writes, then closes the file. */
  async close(): Promise<void> {
    this.elections.cancelAll()
    this.faults.goBackTo(new Map())
    this.work.cancelAll()
    await this.#writer.close()
    this.elections.cancelAll()
    this.#store.close()
  }

  /** Runs together with other jobs in one commit. Its events are sent once the commit is durable. */
  async write<T>(run: (events: NodeEvent[]) => T): Promise<T> {
    const { outcome, events } = await this.#writer.submit(() => {
      const events: NodeEvent[] = []
      try {
        return { outcome: { value: run(events) }, events }
      } catch (error) {
        // A refusal has changed nothing, so the batch continues. Any other error is a defect and fails the batch.
        if (error instanceof NodeRefusal || error instanceof Untouched) return { outcome: { error }, events }
        throw error
      }
    })
    if ('error' in outcome) throw outcome.error
    this.#emit(events)
    return outcome.value
  }

  /** Resolves when every change that listeners were notified about is on the disk; undefined if all are. */
  get durable(): Promise<void> | undefined {
    return this.#writer.syncing
  }

  /** Runs in a commit of its own; an exception rolls back this commit. */
  async writeAlone<T>(run: (events: NodeEvent[]) => T, settle: () => void = () => undefined): Promise<T> {
    const events: NodeEvent[] = []
    const value = await this.#writer.submitAlone(() => run(events), settle)
    this.#emit(events)
    return value
  }

  /**
   * Reverts or replaces the ledger at once. Operations that were running on the old ledger do not affect the new one.
   */
  async replace(run: () => void, settle: () => void): Promise<void> {
    await this.writeAlone(run, () => {
      this.#era++
      this.elections.cancelAll()
      settle()
      if (this.elections.held) return
      for (const stored of this.ledger.listUnconfirmed()) this.#endLater(stored.hash)
    })
  }

  /** Computes the online weight again, as a node does at its start. */
  lookAtWeight(): void {
    this.onlineWeight = sumOf(this.#tally())
  }

  /** The representatives that vote: those who have any weight. */
  listOnline(): Voter[] {
    return this.voters.filter(({ key }) => this.#store.weightOf(key) > 0n)
  }

  /**
   * Ends the election of a block later. `isStill` returns whether the ledger has not been reverted or replaced since.
   */
  endAfter(hash: string, milliseconds: number, run: (isStill: () => boolean) => Promise<unknown>): void {
    const era = this.#era
    this.elections.endAfter(hash, milliseconds, () => {
      run(() => era === this.#era).catch((error: unknown) => {
        // If the ledger is closing, it confirms the block when it is opened again.
        if (!(error instanceof LedgerClosed)) this.onFailure(error)
      })
    })
  }

  /** Handles the consequences of a block's arrival: its confirmation, and blocks that waited for it. */
  follow(block: Block, result: Applied, events: NodeEvent[]): void {
    const pending: [Block, Applied][] = [[block, result]]
    for (let next = pending.shift(); next; next = pending.shift()) {
      const [block, result] = next
      if ('refused' in result) {
        const need = needOf(block, result.refused)
        if (need !== undefined) this.unchecked.keep(need, hashBlock(block), block)
        continue
      }
      const { stored } = result
      events.push({ kind: 'arrived', stored })
      if (!this.elections.held) this.#confirmSoon(stored, events)
      const released = this.unchecked.take(stored.hash)
      if (stored.subtype === 'send' && block.type === 'state') released.push(...this.unchecked.take(block.link))
      for (const waiting of released) {
        const result = this.#tryEarly(waiting)
        if (result) pending.push([waiting, result])
      }
    }
  }

  /** Tries again a block that arrived before its dependencies; a fork may first have to read what the block needs. */
  #tryEarly(waiting: Block): Applied | undefined {
    try {
      return this.ledger.process(new Candidate(waiting))
    } catch (error) {
      if (!(error instanceof Untouched)) throw error
      this.process(waiting).catch(this.onFailure)
      return undefined
    }
  }

  #confirmSoon(stored: StoredBlock, events: NodeEvent[]): void {
    if (this.#confirmAfter[1] === 0) this.confirmNow(stored.hash, events, stored)
    else this.#endLater(stored.hash)
  }

  #endLater(hash: string): void {
    const [least, most] = this.#confirmAfter
    // As on the network, confirmation times vary, so a later block may be confirmed first.
    const share = Buffer.from(this.random.bytes(4)).readUInt32BE() / 2 ** 32
    this.endAfter(hash, Math.round(least + share * (most - least)), (isStill) =>
      this.write((events) => {
        if (!isStill() || this.elections.held || !this.#store.hasBlock(hash)) return
        // A block that depends on a contested one waits until that election ends.
        if (this.ledger.dependsOn(hash, this.elections.contested)) this.#endLater(hash)
        else this.confirmNow(hash, events)
      }),
    )
  }

  confirmNow(hash: string, events: NodeEvent[], known?: StoredBlock): void {
    for (const stored of this.ledger.confirm(hash, known)) {
      const type = stored.hash === hash || this.elections.asked.has(stored.hash) ? 'active_quorum' : 'inactive'
      this.elections.asked.delete(stored.hash)
      this.elections.contested.delete(stored.hash)
      events.push(this.#confirmed(stored, type))
    }
  }

  #confirmWaiting(events: NodeEvent[]): void {
    for (const stored of this.ledger.listUnconfirmed()) this.confirmNow(stored.hash, events)
  }

  #confirmed(stored: StoredBlock, type: ConfirmationType): NodeEvent {
    return { kind: 'confirmed', stored, type, votes: this.#tally() }
  }

  #tally(): Tally[] {
    return this.listOnline().map(({ key }) => ({ representative: key, weight: this.#store.weightOf(key) }))
  }

  #replaceFork(candidate: Candidate, events: NodeEvent[]): Processed {
    const { block, hash } = candidate
    const stored = this.ledger.findOnRoot(block)
    const own = block.type !== 'state' || stored?.account === block.account
    if (stored && own && !this.ledger.isConfirmed(stored)) {
      this.takeBack(stored.hash)
      this.follow(block, this.ledger.process(candidate), events)
    }
    // Like the node, answers with the hash at once, whichever block wins.
    return { hash }
  }

  /** Rolls back a block with everything built on it, and forgets their elections. */
  takeBack(hash: string): string[] {
    const gone = this.ledger.rollBack(hash, { evenConfirmed: true })
    this.elections.forget(gone)
    return gone
  }

  #emit(events: NodeEvent[]): void {
    for (const event of events) {
      if (event.kind === 'confirmed') this.elections.remember(event.stored.hash, sumOf(event.votes))
    }
    for (const event of events) for (const listener of this.#listeners) listener(event)
    for (const notify of this.onChange) notify()
  }
}
