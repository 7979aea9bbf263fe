import { toAddress } from '../kernel/nano/address.ts'
import { toBlockJson } from '../kernel/nano/block.ts'
import type { Members } from './answer.ts'
import { type NodeEvent, sumOf } from './node-options.ts'
import { FINAL_TIMESTAMP } from '../kernel/nano/vote.ts'
import { type ConfirmationOptions, optionsIn, readConfirmationOptions } from '../kernel/nano/confirmation-options.ts'
import type { RequestTree } from '../kernel/nano/request-tree.ts'

type Confirmed = NodeEvent & { kind: 'confirmed' }

/** What one client wants to know about confirmations, and the messages that tell it. */
export class ConfirmationSubscription {
  readonly #options: ConfirmationOptions
  readonly #isChangeable: boolean

  constructor(options: RequestTree | undefined) {
    this.#options = readConfirmationOptions(optionsIn(options ?? { text: '', members: [] }))
    this.#isChangeable = options !== undefined
  }

  /** Adds and removes accounts, and says whether there is something to acknowledge: a node changes only what came with options. */
  update(options: RequestTree): boolean {
    if (!this.#isChangeable) return false
    const { accounts } = optionsIn(options)
    const [added, removed] = [accounts('accounts_add'), accounts('accounts_del')]
    // From now on it is a filter, even an empty one.
    if (added || removed) this.#options.accounts ??= new Set()
    for (const address of added ?? []) this.#options.accounts?.add(address)
    for (const address of removed ?? []) this.#options.accounts?.delete(address)
    return true
  }

  wants({ stored, type }: Confirmed): boolean {
    const { accounts, includeBlock, types } = this.#options
    if (!types.includes(type)) return false
    if (!accounts) return true
    // The node looks for the counterparty inside the block, so a filter without blocks never matches.
    if (!includeBlock || stored.block.type !== 'state') return false
    return accounts.has(toAddress(stored.account)) || accounts.has(toAddress(stored.block.link))
  }

  message({ stored, type, votes }: Confirmed, now: number): Members {
    const message: Members = {
      account: toAddress(stored.account),
      amount: stored.amount.toString(),
      hash: stored.hash,
      confirmation_type: type,
    }
    if (this.#options.includeElection) {
      const tally = sumOf(votes).toString()
      const election: Members = {
        duration: '0',
        time: `${now}`,
        tally,
        final: tally,
        blocks: '1',
        // The node counts one without an owner as well.
        voters: `${votes.length + 1}`,
        request_count: '0',
      }
      if (this.#options.includeVotes) {
        election.votes = votes.map(({ representative, weight }) => ({
          representative: toAddress(representative),
          timestamp: FINAL_TIMESTAMP.toString(),
          hash: stored.hash,
          weight: weight.toString(),
        }))
      }
      message.election_info = election
    }
    if (this.#options.includeBlock) message.block = { ...toBlockJson(stored.block), subtype: stored.subtype }
    if (this.#options.includeSideband) {
      message.sideband = { height: `${stored.height}`, local_timestamp: `${stored.timestamp}` }
    }
    return { topic: 'confirmation', time: `${now}`, message }
  }
}
