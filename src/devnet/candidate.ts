import type { PublicKey } from '../kernel/nano/address.ts'
import { type Block, hashBlock, rootOf } from '../kernel/nano/block.ts'
import { verifyHash } from '../kernel/nano/keys.ts'
import { epochOfLink } from '../kernel/nano/network.ts'
import { workValue } from '../kernel/nano/work.ts'

/**
 * A block that wants to be on the ledger, with what follows from the block alone. All of that is dear and never changes, so that
 * it is computed once, at the first question.
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

  /** Does what takes time before the ledger is asked: meanwhile the disk may be at work for others. */
  prepare(): void {
    const { block } = this
    if (block.type === 'state' && epochOfLink(block.link) === undefined) this.isSignedBy(block.account)
  }
}
