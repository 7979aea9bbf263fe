import { RAW_MAX } from '../kernel/money.ts'
import type { PublicKey } from '../kernel/nano/address.ts'
import { type Block, type LegacyBlock, type StateBlock, ZERO_HASH, previousOf, rootOf } from '../kernel/nano/block.ts'
import { WORK_THRESHOLDS, type WorkThresholds } from '../kernel/nano/work.ts'
import type { Clock } from '../kernel/ports.ts'
import { Candidate, type Change, type Refusal, type Rules, judgeLegacyBlock, judgeStateBlock } from './validate.ts'
import { DEV_GENESIS, type Genesis } from './genesis.ts'
import type { AccountRecord, StoredBlock, WaitingSend } from './records.ts'
import type { LedgerStore } from './store.ts'

export type Processed = { hash: string } | { refused: Refusal }
/** What became of a block: it was stored, or refused. */
export type Applied = { hash: string; stored: StoredBlock } | { refused: Refusal }

const isState = (candidate: Candidate): candidate is Candidate<StateBlock> => candidate.block.type === 'state'

/** The block lattice: validates, applies and confirms blocks, and rolls back unconfirmed ones. */
export class Ledger {
  readonly store: LedgerStore
  readonly thresholds: WorkThresholds
  readonly genesis: Genesis
  /** Accounts whose blocks are accepted without a signature. */
  readonly impersonated = new Set<PublicKey>()
  readonly #clock: Clock
  readonly #rules: Rules

  constructor(store: LedgerStore, clock: Clock, thresholds: WorkThresholds, genesis: Genesis = DEV_GENESIS) {
    this.store = store
    this.thresholds = thresholds
    this.genesis = genesis
    this.#clock = clock
    this.#rules = {
      store,
      thresholds,
      epochSigner: genesis.account,
      isSigned: (account, candidate) => this.impersonated.has(account) || candidate.isSignedBy(account),
    }
    if (store.totals().blocks === 0) store.inTransaction(() => this.#createGenesis(this.#seconds()))
    else if (!store.hasBlock(genesis.hash)) throw new Error('The ledger file holds a ledger of another genesis.')
  }

  process(candidate: Candidate): Applied {
    return isState(candidate)
      ? this.#judge(this.#rules, candidate)
      : { refused: judgeLegacyBlock(this.#rules, candidate as Candidate<LegacyBlock>) }
  }

  /** Applies a block made by the ledger itself, whose work may be below the live thresholds. */
  processOwn(block: StateBlock): Applied {
    return this.#judge({ ...this.#rules, thresholds: WORK_THRESHOLDS.none }, new Candidate(block))
  }

  /** Applies a block with a given time of arrival, without checking signature and work. The other rules apply. */
  replay(block: StateBlock, timestamp = this.#seconds()): Applied {
    const rules = { ...this.#rules, thresholds: WORK_THRESHOLDS.none, isSigned: () => true }
    return this.#judge(rules, new Candidate(block), timestamp)
  }

  /** Deletes every block and starts again from the genesis, with the given time. */
  startOver(timestamp = this.#seconds()): void {
    this.store.clear()
    this.#createGenesis(timestamp)
  }

  /** Whether a block belongs to the genesis, or to the network that was forked. */
  isGenesis({ account, height, position }: StoredBlock): boolean {
    if (position < 0) return true
    return account === this.genesis.account && height <= 1 + this.genesis.epochs.length
  }

  /** The block on the ledger that has the same root as this one. */
  findOnRoot(block: Block): StoredBlock | undefined {
    const { store } = this
    const previous = previousOf(block)
    const found =
      previous === ZERO_HASH ? store.findAccount(rootOf(block))?.openBlock : store.findBlock(previous)?.successor
    return found === undefined ? undefined : store.findBlock(found)
  }

  isConfirmed({ account, height, position }: StoredBlock): boolean {
    // Only confirmed blocks of a forked network were copied.
    return position < 0 || height <= this.store.confirmedHeightOf(account)
  }

  /** The blocks that must be confirmed before this one: its predecessor and, for a receive, the send. */
  dependenciesOf({ block, subtype }: StoredBlock): string[] {
    const hashes = [previousOf(block)]
    if (subtype === 'receive' && block.type === 'state') hashes.push(block.link)
    return hashes.filter((hash) => hash !== ZERO_HASH)
  }

  /** Confirms a block and its dependencies; returns the blocks that became confirmed, oldest first. */
  confirm(hash: string, known?: StoredBlock): StoredBlock[] {
    const confirmed: StoredBlock[] = []
    const stack = [hash]
    while (stack.length > 0) {
      const next = stack.at(-1)!
      const stored = next === known?.hash ? known : this.#getBlock(next)
      const { account, height, block, subtype } = stored
      const reached = this.store.confirmedHeightOf(account)
      if (height <= reached) {
        stack.pop()
        continue
      }
      const waiting = stack.length
      if (height > reached + 1) stack.push(previousOf(block))
      const source = subtype === 'receive' && block.type === 'state' ? block.link : undefined
      if (source !== undefined && !this.#isPlaceConfirmed(source)) stack.push(source)
      if (stack.length > waiting) continue
      this.store.markConfirmed(account, height, stored.hash, 1)
      confirmed.push(stored)
      stack.pop()
    }
    return confirmed
  }

  /** Whether an unconfirmed block is among `others`, or depends on one of them. */
  dependsOn(hash: string, others: ReadonlySet<string>): boolean {
    if (others.size === 0) return false
    const seen = new Set([hash])
    for (const each of seen) {
      if (others.has(each)) return true
      const stored = this.#getBlock(each)
      if (!this.isConfirmed(stored)) for (const dependency of this.dependenciesOf(stored)) seen.add(dependency)
    }
    return false
  }

  /** All unconfirmed blocks, in the order they arrived. */
  listUnconfirmed(): StoredBlock[] {
    const waiting: StoredBlock[] = []
    for (const { head, confirmedFrontier } of this.store.listUnconfirmedAccounts()) {
      for (let hash = head; hash !== confirmedFrontier && hash !== ZERO_HASH;) {
        const stored = this.#getBlock(hash)
        waiting.push(stored)
        hash = previousOf(stored.block)
      }
    }
    return waiting.sort((a, b) => a.position - b.position)
  }

  /**
   * Rolls back a block and everything built on it; returns the hashes of the removed blocks. Refuses a confirmed block
   * unless `evenConfirmed` is set.
   */
  rollBack(hash: string, { evenConfirmed = false } = {}): string[] {
    const gone: string[] = []
    const target = this.store.findBlock(hash)
    if (!target) return gone
    if (!evenConfirmed && this.isConfirmed(target)) throw new Error('A confirmed block stays')
    while (this.store.hasBlock(hash)) {
      const head = this.#getBlock(this.store.findAccount(target.account)!.head)
      const receivedBy = head.subtype === 'send' ? this.store.findReceive(head.hash) : undefined
      if (receivedBy) gone.push(...this.rollBack(receivedBy.hash, { evenConfirmed }))
      else {
        this.#undo(head)
        gone.push(head.hash)
      }
    }
    return gone
  }

  /** The sum of an account's receivable sends; by default only confirmed ones count. */
  receivableSum(account: PublicKey, confirmedOnly: boolean): bigint {
    let sum = 0n
    const isConfirmed = this.confirmedAmong()
    for (const sent of this.store.receivableOf(account)) if (!confirmedOnly || isConfirmed(sent)) sum += sent.amount
    return sum
  }

  /** Returns a function that says whether a send is confirmed and reads each sender only once. */
  confirmedAmong(): (sent: WaitingSend) => boolean {
    const heights = new Map<PublicKey, number>()
    return ({ source, height, position }) => {
      const confirmed = heights.get(source) ?? this.store.confirmedHeightOf(source)
      heights.set(source, confirmed)
      return position < 0 || height <= confirmed
    }
  }

  #judge(rules: Rules, candidate: Candidate<StateBlock>, timestamp = this.#seconds()): Applied {
    const verdict = judgeStateBlock(rules, candidate)
    if ('refused' in verdict) return verdict
    return { hash: verdict.accepted.hash, stored: this.#apply(verdict.accepted, timestamp) }
  }

  #isPlaceConfirmed(hash: string): boolean {
    const place = this.store.placeOf(hash)
    if (!place) throw new Error(`The ledger lost block ${hash}`)
    return place.position < 0 || place.height <= this.store.confirmedHeightOf(place.account)
  }

  #getBlock(hash: string): StoredBlock {
    const stored = this.store.findBlock(hash)
    if (!stored) throw new Error(`The ledger lost block ${hash}`)
    return stored
  }

  #seconds(): number {
    return Math.floor(this.#clock.now() / 1000)
  }

  #createGenesis(timestamp: number): void {
    const { account, hash, block: opening, epochs } = this.genesis
    const amount = RAW_MAX
    this.store.insertBlock(
      {
        hash,
        block: opening,
        account,
        balance: amount,
        amount,
        subtype: undefined,
        height: 1,
        epoch: 0,
        timestamp,
      },
      ZERO_HASH,
      ZERO_HASH,
    )
    this.store.insertAccount({
      account,
      head: hash,
      openBlock: hash,
      representative: account,
      balance: amount,
      modifiedAt: timestamp,
      blockCount: 1,
      epoch: 0,
      confirmedHeight: 0,
      confirmedFrontier: ZERO_HASH,
    })
    this.store.addWeight(account, amount)
    this.store.markConfirmed(account, 1, hash, 1)
    for (const block of epochs) {
      const result = this.replay(block, timestamp)
      if ('refused' in result) throw new Error(`The genesis is damaged: ${result.refused}`)
      this.confirm(result.hash)
    }
  }

  #apply({ hash, block, account, subtype, amount, epoch }: Change, timestamp: number): StoredBlock {
    const { store } = this
    const height = (account?.blockCount ?? 0) + 1
    const stored = store.insertBlock(
      { hash, block, account: block.account, balance: block.balance, amount, subtype, height, epoch, timestamp },
      block.previous,
      ZERO_HASH,
    )
    if (account?.representative === block.representative) {
      store.addWeight(block.representative, block.balance - account.balance)
    } else {
      if (account) store.addWeight(account.representative, -account.balance)
      store.addWeight(block.representative, block.balance)
    }
    if (subtype === 'send') {
      store.putReceivable({ account: block.link, hash, source: block.account, amount, epoch })
    } else if (subtype === 'receive') store.deleteReceivable(block.account, block.link)
    const { representative, balance } = block
    const moved = {
      account: block.account,
      head: hash,
      representative,
      balance,
      modifiedAt: timestamp,
      blockCount: height,
      epoch,
    }
    if (account) store.moveAccount(moved)
    else store.insertAccount({ ...moved, openBlock: hash, confirmedHeight: 0, confirmedFrontier: ZERO_HASH })
    return stored
  }

  /** Reverses `#apply` for an account's newest block. */
  #undo(head: StoredBlock): void {
    const { store } = this
    const { block, hash, account, subtype } = head
    if (block.type !== 'state') throw new Error('The genesis block stays')
    const record = store.findAccount(account)!
    if (head.height <= record.confirmedHeight) store.markConfirmed(account, head.height - 1, block.previous, -1)
    store.addWeight(block.representative, -block.balance)
    if (subtype === 'send') store.deleteReceivable(block.link, hash)
    else if (subtype === 'receive') {
      const send = this.#getBlock(block.link)
      const { amount, epoch } = send
      store.putReceivable({ account, hash: send.hash, source: send.account, amount, epoch })
    }
    store.deleteBlock(hash, block.previous, ZERO_HASH)
    if (block.previous === ZERO_HASH) store.deleteAccount(account)
    else store.moveAccount(this.#recordAt(record, this.#getBlock(block.previous)))
  }

  #recordAt(record: AccountRecord, head: StoredBlock): AccountRecord {
    const representative = head.block.type === 'state' ? head.block.representative : this.genesis.block.representative
    this.store.addWeight(representative, head.balance)
    return {
      ...record,
      head: head.hash,
      representative,
      balance: head.balance,
      modifiedAt: head.timestamp,
      blockCount: head.height,
      epoch: head.epoch,
    }
  }
}
