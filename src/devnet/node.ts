import { whenOver } from '../kernel/when-over.ts'
import type { Raw } from '../kernel/money.ts'
import type { PublicKey } from '../kernel/nano/address.ts'
import { type Block, type StateBlock, ZERO_HASH, hashBlock, previousOf, rootOf } from '../kernel/nano/block.ts'
import { signHash } from '../kernel/nano/keys.ts'
import { DEV_NETWORK } from '../kernel/nano/network.ts'
import { WORK_THRESHOLDS, type WorkThresholds } from '../kernel/nano/work.ts'
import type { Clock, Random } from '../kernel/ports.ts'
import { NodeRefusal, refusal } from '../kernel/nano/node-refusal.ts'
import type { Genesis } from './genesis.ts'
import { type Applied, Ledger, type Processed } from './ledger.ts'
import { LedgerStore, type StoredBlock } from './store.ts'
import { UncheckedBlocks } from './unchecked.ts'
import { WorkSearches } from './work-search.ts'
import { BatchWriter } from './writer.ts'

type ConfirmationType = 'active_quorum' | 'active_confirmation_height' | 'inactive'

export type NodeEvent =
  | { kind: 'arrived'; stored: StoredBlock }
  | { kind: 'confirmed'; stored: StoredBlock; type: ConfirmationType; weight: bigint; voter: PublicKey }

export interface NodeOptions {
  /** SQLite file of the ledger; `:memory:` forgets everything at the end. */
  file: string
  clock: Clock
  random: Random
  thresholds?: WorkThresholds
  /** The name that `version` tells. */
  network?: string
  /** How the ledger begins, when it is not the development network's. */
  genesis?: Genesis
  /** Whether blocks of the genesis account, whose key everybody knows, are taken from nobody but the ledger itself. */
  genesisIsClosed?: boolean
  /** Time between a block's arrival and its confirmation, or the least and the most of it; 0 confirms in the same instant. */
  confirmAfterMilliseconds?: number | readonly [least: number, most: number]
  /** Hears what failed while nobody waited for it; the terminal does unless told. */
  onFailure?: (error: unknown) => void
}

/** A confirmation as `confirmation_history` tells it. */
interface PastElection {
  hash: string
  at: number
  tally: bigint
}

/** As many as the node keeps. */
const PAST_ELECTIONS_MAX = 2_048

/** The development ledger as a node: it takes blocks, holds elections that it always wins, and tells what happened. */
export class LedgerNode {
  readonly ledger: Ledger
  readonly unchecked = new UncheckedBlocks()
  readonly work: WorkSearches
  readonly network: string
  readonly clock: Clock
  readonly random: Random
  readonly genesisIsClosed: boolean
  readonly startedAt: number
  readonly onFailure: (error: unknown) => void
  /** The weight that was online when the node began to look; like the node, it is not recomputed for each block. */
  readonly onlineWeight: bigint
  readonly #store: LedgerStore
  readonly #writer: BatchWriter
  readonly #confirmAfter: readonly [least: number, most: number]
  readonly #listeners = new Set<(event: NodeEvent) => void>()
  /** Since the start, oldest first. */
  readonly pastElections: PastElection[] = []
  readonly #askedElections = new Set<string>()
  readonly #timers = new Set<() => void>()
  #funding: Promise<unknown> = Promise.resolve()
  #held = false

  constructor(options: NodeOptions) {
    this.network = options.network ?? DEV_NETWORK.name
    this.clock = options.clock
    this.random = options.random
    this.work = new WorkSearches(options.random)
    this.startedAt = options.clock.now()
    this.onFailure = options.onFailure ?? ((error) => process.emitWarning(String(error)))
    this.genesisIsClosed = options.genesisIsClosed ?? false
    const { confirmAfterMilliseconds: span = 0 } = options
    this.#confirmAfter = typeof span === 'number' ? [span, span] : span
    this.#store = new LedgerStore(options.file)
    this.ledger = new Ledger(this.#store, options.clock, options.thresholds ?? WORK_THRESHOLDS.dev, options.genesis)
    this.onlineWeight = this.#store.weightOf(this.ledger.genesis.account)
    this.#writer = new BatchWriter((run) => this.#store.inTransaction(run))
    // What an earlier run left unconfirmed has waited long enough.
    this.#store.inTransaction(() => this.#confirmWaiting([]))
  }

  listen(listener: (event: NodeEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Validates and stores a block. `check` runs first, against the ledger the block will meet. */
  async process(block: Block, { force = false, check }: { force?: boolean; check?: () => void } = {}) {
    return this.#write((events): Processed => {
      check?.()
      const result = this.ledger.process(block)
      if ('refused' in result && result.refused === 'Fork' && force) return this.#replaceFork(block, events)
      this.#follow(block, result, events)
      return result
    })
  }

  /** Sends from the genesis account, whose key everybody knows. One after another, because each needs the frontier. */
  fund(account: PublicKey, amount: Raw): Promise<string> {
    const funded = this.#funding.then(() => this.#fund(account, amount))
    this.#funding = whenOver(funded)
    return funded
  }

  /** Whether blocks stay unconfirmed at the moment. */
  get holds(): boolean {
    return this.#held
  }

  /** From now on blocks stay unconfirmed until `confirm` or `release`. */
  hold(): void {
    this.#held = true
  }

  /** Confirms everything that waits, in order, and goes back to confirming by itself. */
  async release(): Promise<void> {
    this.#held = false
    await this.#write((events) => this.#confirmWaiting(events))
  }

  /** Confirms one block with everything it stands on. */
  async confirm(hash: string): Promise<void> {
    await this.#write((events) => {
      if (!this.#store.hasBlock(hash)) throw refusal('Block not found')
      this.#confirm(hash, events)
    })
  }

  /** Forgets an unconfirmed block and everything built on it, as after a lost fork. */
  async drop(hash: string): Promise<string[]> {
    return this.#write(() => {
      const stored = this.#store.findBlock(hash)
      if (!stored) throw refusal('Block not found')
      if (this.ledger.isConfirmed(stored)) throw refusal('Block is confirmed')
      return this.ledger.rollBack(hash)
    })
  }

  /** A node that has fetched the whole ledger anew: to it every block arrived at one moment, now unless told otherwise. */
  async resync(timestamp = Math.floor(this.clock.now() / 1000)): Promise<void> {
    await this.#write(() => this.#store.stampAll(timestamp))
  }

  /** Starts an election for a block; for a confirmed one the node only repeats its confirmation. */
  requestElection(stored: StoredBlock): void {
    if (this.ledger.isConfirmed(stored)) this.#emit([this.#confirmed(stored, 'active_confirmation_height')])
    else this.#askedElections.add(stored.hash)
  }

  /** Whether an election is open: for blocks whose dependencies are confirmed, and for those asked for. */
  isActive(stored: StoredBlock): boolean {
    if (this.ledger.isConfirmed(stored)) return false
    if (this.#askedElections.has(stored.hash)) return true
    return this.ledger.dependenciesOf(stored).every((hash) => this.ledger.isConfirmed(this.#store.findBlock(hash)!))
  }

  /** Waits for what was accepted, then closes the file. */
  async close(): Promise<void> {
    for (const cancel of this.#timers) cancel()
    this.work.cancelAll()
    await this.#writer.submit(() => undefined)
    for (const cancel of this.#timers) cancel()
    this.#store.close()
  }

  async #fund(account: PublicKey, amount: Raw): Promise<string> {
    for (;;) {
      const genesis = this.#store.findAccount(this.ledger.genesis.account)!
      if (amount <= 0n || amount > genesis.balance) throw refusal('Insufficient balance')
      // Live thresholds would take hours here, so the ledger's own blocks always carry work of the dev network.
      const work = await this.work.find(genesis.head, WORK_THRESHOLDS.dev.send)
      if (work === undefined) throw refusal('Cancelled')
      const draft: StateBlock = {
        type: 'state',
        account: genesis.account,
        previous: genesis.head,
        representative: genesis.representative,
        balance: (genesis.balance - amount) as Raw,
        link: account,
        signature: '',
        work,
      }
      const block = { ...draft, signature: signHash(this.ledger.genesis.privateKey, hashBlock(draft)) }
      const result = await this.#write((events): Processed => {
        const result = this.ledger.processOwn(block)
        if ('hash' in result) this.#follow(block, result, events)
        return result
      })
      if ('hash' in result) return result.hash
      // Somebody else used the public key meanwhile; the next round starts from the new frontier.
      if (result.refused !== 'Fork') throw refusal(result.refused)
    }
  }

  async #write<T>(run: (events: NodeEvent[]) => T): Promise<T> {
    const { outcome, events } = await this.#writer.submit(() => {
      const events: NodeEvent[] = []
      try {
        return { outcome: { value: run(events) }, events }
      } catch (error) {
        // A refusal changes nothing, so the batch goes on; anything else is a defect and fails the batch.
        if (error instanceof NodeRefusal) return { outcome: { error }, events }
        throw error
      }
    })
    if ('error' in outcome) throw outcome.error
    this.#emit(events)
    return outcome.value
  }

  /** What follows from a block's arrival: its confirmation, and the blocks that waited for it. */
  #follow(block: Block, result: Applied, events: NodeEvent[]): void {
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
      if (!this.#held) this.#confirmSoon(stored, events)
      const released = this.unchecked.take(stored.hash)
      if (stored.subtype === 'send' && block.type === 'state') released.push(...this.unchecked.take(block.link))
      for (const waiting of released) pending.push([waiting, this.ledger.process(waiting)])
    }
  }

  #confirmSoon(stored: StoredBlock, events: NodeEvent[]): void {
    const { hash } = stored
    const [least, most] = this.#confirmAfter
    if (most === 0) {
      this.#confirm(hash, events, stored)
      return
    }
    // On the network no two blocks take the same time, and the later one may be first.
    const share = Buffer.from(this.random.bytes(4)).readUInt32BE() / 2 ** 32
    const cancel = this.clock.after(Math.round(least + share * (most - least)), () => {
      this.#timers.delete(cancel)
      // A ledger that is being closed, or cannot write, confirms when it is opened again.
      this.#write((events) => {
        if (!this.#held && this.#store.hasBlock(hash)) this.#confirm(hash, events)
      }).catch(this.onFailure)
    })
    this.#timers.add(cancel)
  }

  #confirm(hash: string, events: NodeEvent[], known?: StoredBlock): void {
    for (const stored of this.ledger.confirm(hash, known)) {
      const type = stored.hash === hash || this.#askedElections.has(stored.hash) ? 'active_quorum' : 'inactive'
      this.#askedElections.delete(stored.hash)
      events.push(this.#confirmed(stored, type))
    }
  }

  #confirmWaiting(events: NodeEvent[]): void {
    for (const stored of this.ledger.listUnconfirmed()) this.#confirm(stored.hash, events)
  }

  #confirmed(stored: StoredBlock, type: ConfirmationType): NodeEvent {
    const voter = this.ledger.genesis.account
    return { kind: 'confirmed', stored, type, weight: this.#store.weightOf(voter), voter }
  }

  #remember({ stored, weight }: { stored: StoredBlock; weight: bigint }): void {
    this.pastElections.push({ hash: stored.hash, at: this.clock.now(), tally: weight })
    if (this.pastElections.length > PAST_ELECTIONS_MAX) this.pastElections.shift()
  }

  #replaceFork(block: Block, events: NodeEvent[]): Processed {
    const previous = previousOf(block)
    const rival =
      previous === ZERO_HASH
        ? this.#store.findAccount(rootOf(block))?.openBlock
        : this.#store.findBlock(previous)?.successor
    const stored = rival === undefined ? undefined : this.#store.findBlock(rival)
    const own = block.type !== 'state' || stored?.account === block.account
    if (stored && own && !this.ledger.isConfirmed(stored)) {
      this.ledger.rollBack(stored.hash)
      this.#follow(block, this.ledger.process(block), events)
    }
    // The node answers with the hash at once, whether or not the rival gave way.
    return { hash: hashBlock(block) }
  }

  #emit(events: NodeEvent[]): void {
    for (const event of events) if (event.kind === 'confirmed') this.#remember(event)
    for (const event of events) for (const listener of this.#listeners) listener(event)
  }
}

/** What a block that came too early waits for. */
function needOf(block: Block, refused: string): string | undefined {
  if (refused === 'Gap previous block') return previousOf(block)
  if (refused === 'Gap source block') {
    if (block.type === 'state') return block.link
    return block.type === 'open' || block.type === 'receive' ? block.source : undefined
  }
  if (refused === 'Gap pending for open epoch block' && block.type === 'state') return block.account
  return undefined
}
