import { fromAddress, toAddress } from '../kernel/nano/address.ts'
import { toBlockJson } from '../kernel/nano/block.ts'
import type { Members } from './answer.ts'
import type { NodeEvent } from './node-options.ts'
import { type RequestTree, findMember } from '../kernel/nano/request-tree.ts'

type Confirmed = NodeEvent & { kind: 'confirmed' }

const FINAL_VOTE = '18446744073709551615'
const ALL_TYPES = ['active_quorum', 'active_confirmation_height', 'inactive']
const CONFIRMATION_TYPES = new Map([
  ['all', ALL_TYPES],
  ['active', ['active_quorum', 'active_confirmation_height']],
  ...ALL_TYPES.map((type): [string, string[]] => [type, [type]]),
])

/** What one client wants to know about confirmations, and the messages that tell it. */
export class ConfirmationSubscription {
  readonly #includeBlock: boolean
  readonly #includeElection: boolean
  readonly #includeVotes: boolean
  readonly #includeSideband: boolean
  readonly #types: string[]
  readonly #accounts: Set<string> | undefined

  constructor(options: RequestTree | undefined) {
    const flag = (name: string, fallback = false) => {
      const text = options && findMember(options, name)?.text
      return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : fallback
    }
    this.#includeBlock = flag('include_block', true)
    this.#includeVotes = flag('include_election_info_with_votes')
    this.#includeElection = this.#includeVotes || flag('include_election_info')
    this.#includeSideband = flag('include_sideband_info')
    const type = (options && findMember(options, 'confirmation_type')?.text) ?? 'all'
    this.#types = CONFIRMATION_TYPES.get(type) ?? ALL_TYPES
    const accounts = options && findMember(options, 'accounts')
    // This ledger has no wallets, so `all_local_accounts` names no account.
    if (accounts || flag('all_local_accounts')) this.#accounts = new Set(accounts ? addressesIn(accounts) : [])
  }

  /** Adds and removes accounts of a filtered subscription. */
  update(options: RequestTree): void {
    const added = findMember(options, 'accounts_add')
    const removed = findMember(options, 'accounts_del')
    for (const address of added ? addressesIn(added) : []) this.#accounts?.add(address)
    for (const address of removed ? addressesIn(removed) : []) this.#accounts?.delete(address)
  }

  wants({ stored, type }: Confirmed): boolean {
    if (!this.#types.includes(type)) return false
    if (!this.#accounts) return true
    // The node looks for the counterparty inside the block, so a filter without blocks never matches.
    if (!this.#includeBlock || stored.block.type !== 'state') return false
    return this.#accounts.has(toAddress(stored.account)) || this.#accounts.has(toAddress(stored.block.link))
  }

  message({ stored, type, weight, voter }: Confirmed, now: number): Members {
    const message: Members = {
      account: toAddress(stored.account),
      amount: stored.amount.toString(),
      hash: stored.hash,
      confirmation_type: type,
    }
    if (this.#includeElection) {
      const election: Members = {
        duration: '0',
        time: `${now}`,
        tally: `${weight}`,
        final: `${weight}`,
        blocks: '1',
        voters: '2',
        request_count: '0',
      }
      if (this.#includeVotes) {
        const representative = toAddress(voter)
        election.votes = [{ representative, timestamp: FINAL_VOTE, hash: stored.hash, weight: `${weight}` }]
      }
      message.election_info = election
    }
    if (this.#includeBlock) message.block = { ...toBlockJson(stored.block), subtype: stored.subtype }
    if (this.#includeSideband) {
      message.sideband = { height: `${stored.height}`, local_timestamp: `${stored.timestamp}` }
    }
    return { topic: 'confirmation', time: `${now}`, message }
  }
}

function addressesIn(list: RequestTree): string[] {
  return list.members
    .map(({ tree }) => fromAddress(tree.text))
    .filter((key) => key !== undefined)
    .map(toAddress)
}
