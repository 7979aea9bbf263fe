import type { Raw } from '../kernel/money.ts'
import { type PublicKey, ZERO_KEY } from '../kernel/nano/address.ts'
import { type Block, type LegacyBlock, type StateBlock, ZERO_HASH, hashBlock, rootOf } from '../kernel/nano/block.ts'
import { verifyHash } from '../kernel/nano/keys.ts'
import { type Epoch, epochOfLink, thresholdFor } from '../kernel/nano/network.ts'
import { type WorkThresholds, workValue } from '../kernel/nano/work.ts'
import type { AccountRecord, Subtype } from './records.ts'
import type { LedgerStore } from './store.ts'

/** Why the ledger refuses a block, in the node's words. */
export type Refusal =
  | 'Old block'
  | 'Bad signature'
  | 'Block attempts to open the burn account'
  | 'Fork'
  | 'Gap previous block'
  | 'Gap source block'
  | 'Gap pending for open epoch block'
  | 'Unreceivable'
  | 'Balance and amount delta do not match'
  | 'Block work is insufficient'
  | 'This block cannot follow the previous block'
  | 'Negative spend'
  | 'Error processing block'

/** What a valid block changes on the ledger. */
export interface Change {
  hash: string
  block: StateBlock
  account: AccountRecord | undefined
  subtype: Subtype
  amount: Raw
  epoch: Epoch
}

type Verdict = { refused: Refusal } | { accepted: Change }

export interface Rules {
  store: LedgerStore
  thresholds: WorkThresholds
  epochSigner: PublicKey
  /** Whether the block has a valid signature of its account, or does not need one. */
  isSigned: (account: PublicKey, candidate: Candidate) => boolean
}

const refused = (reason: Refusal): Verdict => ({ refused: reason })

/** Validates a state block in the order of the node's rules: the first rule it breaks gives the refusal. */
export function judgeStateBlock(rules: Rules, candidate: Candidate<StateBlock>): Verdict {
  const { block } = candidate
  if (epochOfLink(block.link) === undefined) return judgeTransaction(rules, candidate)
  if (block.previous === ZERO_HASH) {
    return block.balance === 0n ? judgeEpoch(rules, candidate) : judgeTransaction(rules, candidate)
  }
  const previous = rules.store.findBlock(block.previous)
  if (!previous) {
    const signed = rules.isSigned(block.account, candidate) || rules.isSigned(rules.epochSigner, candidate)
    return refused(signed ? 'Gap previous block' : 'Bad signature')
  }
  // The link of an epoch block can also be the recipient of a send.
  return previous.balance === block.balance ? judgeEpoch(rules, candidate) : judgeTransaction(rules, candidate)
}

function judgeTransaction({ store, thresholds, isSigned }: Rules, candidate: Candidate<StateBlock>): Verdict {
  const { block, hash } = candidate
  const account = store.findAccount(block.account)
  // If the block continues the head, it cannot be on the ledger already: then it, or a later block, would be the head.
  const fits = block.previous === (account?.head ?? ZERO_HASH)
  if (!fits && store.hasBlock(hash)) return refused('Old block')
  if (!isSigned(block.account, candidate)) return refused('Bad signature')
  if (block.account === ZERO_KEY) return refused('Block attempts to open the burn account')

  if (account) {
    if (block.previous === ZERO_HASH) return refused('Fork')
    if (!fits) return refused(store.hasBlock(block.previous) ? 'Fork' : 'Gap previous block')
  } else {
    if (block.previous !== ZERO_HASH) return refused('Gap previous block')
    if (block.link === ZERO_HASH) return refused('Gap source block')
  }

  const balance = account?.balance ?? 0n
  const sends = account !== undefined && block.balance < balance
  const receives = !sends && block.link !== ZERO_HASH
  const amount = (sends ? balance - block.balance : block.balance - balance) as Raw
  let epoch: Epoch = account?.epoch ?? 0
  if (receives) {
    const receivable = store.findReceivable(block.account, block.link)
    if (!receivable) return refused(store.hasBlock(block.link) ? 'Unreceivable' : 'Gap source block')
    if (receivable.amount !== amount) return refused('Balance and amount delta do not match')
    epoch = receivable.epoch > epoch ? receivable.epoch : epoch
  } else if (!sends && amount !== 0n) return refused('Balance and amount delta do not match')

  if (!candidate.hasWork(thresholdFor(thresholds, epoch, receives))) return refused('Block work is insufficient')
  const subtype = sends ? 'send' : receives ? 'receive' : 'change'
  return { accepted: { hash, block, account, subtype, amount, epoch } }
}

function judgeEpoch({ store, thresholds, epochSigner, isSigned }: Rules, candidate: Candidate<StateBlock>): Verdict {
  const { block, hash } = candidate
  if (store.hasBlock(hash)) return refused('Old block')
  if (!isSigned(epochSigner, candidate)) return refused('Bad signature')
  if (block.account === ZERO_KEY) return refused('Block attempts to open the burn account')

  const account = store.findAccount(block.account)
  if (account) {
    if (block.previous !== account.head) return refused('Fork')
    if (block.representative !== account.representative) return refused('Error processing block')
  } else {
    if (block.representative !== ZERO_KEY) return refused('Error processing block')
    if (!store.hasReceivable(block.account)) return refused('Gap pending for open epoch block')
  }

  const epoch = epochOfLink(block.link)!
  if (account && epoch !== account.epoch + 1) return refused('This block cannot follow the previous block')
  if (block.balance !== (account?.balance ?? 0n)) return refused('Balance and amount delta do not match')
  if (!candidate.hasWork(thresholdFor(thresholds, epoch, true))) return refused('Block work is insufficient')
  return { accepted: { hash, block, account, subtype: 'epoch', amount: 0n as Raw, epoch } }
}

/**
 * Validates a block of an old type. None is accepted any more: the genesis account was upgraded, and whatever it sends
 * belongs to epoch 2, which old blocks cannot receive.
 */
export function judgeLegacyBlock({ store }: Rules, candidate: Candidate<LegacyBlock>): Refusal {
  const { block, hash } = candidate
  if (store.hasBlock(hash)) return 'Old block'
  if (block.type === 'open') {
    if (!store.hasBlock(block.source)) return 'Gap source block'
    if (!candidate.isSignedBy(block.account)) return 'Bad signature'
    return store.findAccount(block.account) ? 'Fork' : 'Unreceivable'
  }
  const previous = store.findBlock(block.previous)
  if (!previous) return 'Gap previous block'
  return previous.block.type === 'state' ? 'This block cannot follow the previous block' : 'Fork'
}

/**
 * A submitted block, with values that depend only on the block. They are expensive, so each is computed once, when
 * first needed.
 */
export class Candidate<B extends Block = Block> {
  readonly block: B
  readonly hash: string
  readonly #signedBy = new Map<PublicKey, boolean>()
  #workValue: bigint | undefined

  constructor(block: B) {
    this.block = block
    this.hash = hashBlock(block)
  }

  hasWork(threshold: bigint): boolean {
    if (threshold === 0n) return true
    this.#workValue ??= workValue(rootOf(this.block), this.block.work)
    return this.#workValue >= threshold
  }

  isSignedBy(account: PublicKey): boolean {
    const known = this.#signedBy.get(account)
    if (known !== undefined) return known
    const verdict = verifyHash(account, this.hash, this.block.signature)
    this.#signedBy.set(account, verdict)
    return verdict
  }

  /** Computes these values outside of the transaction, while the disk may be busy with other writes. */
  prepare(): void {
    const { block } = this
    if (block.type === 'state' && epochOfLink(block.link) === undefined) this.isSignedBy(block.account)
  }
}
