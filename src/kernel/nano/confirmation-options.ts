import { fromAddress, toAddress } from './address.ts'
import { type RequestTree, findMember } from './request-tree.ts'

/** The options of a subscription to confirmations, as the reader of each protocol provides them. */
export interface SaidOptions {
  flag(name: string): boolean | undefined
  text(name: string): string
  /** Addresses; undefined if there is no such list. */
  accounts(name: string): readonly string[] | undefined
}

/** The confirmations that a client of a node's websocket wants. */
export interface ConfirmationOptions {
  includeBlock: boolean
  includeElection: boolean
  includeVotes: boolean
  includeSideband: boolean
  types: readonly string[]
  /** Undefined for all accounts. */
  accounts: Set<string> | undefined
}

const ALL_TYPES = ['active_quorum', 'active_confirmation_height', 'inactive']
const TYPES = new Map([
  ['active', ['active_quorum', 'active_confirmation_height']],
  ...ALL_TYPES.map((type): [string, string[]] => [type, [type]]),
])

export function readConfirmationOptions({ flag, text, accounts }: SaidOptions): ConfirmationOptions {
  const includeVotes = flag('include_election_info_with_votes') ?? false
  // A node filters as soon as `all_local_accounts` has any value. It means accounts of the node's wallets, of which
  // there are none here.
  const local = flag('all_local_accounts') === undefined ? undefined : []
  const wanted = accounts('accounts') ?? local
  return {
    includeBlock: flag('include_block') ?? true,
    includeElection: includeVotes || (flag('include_election_info') ?? false),
    includeVotes,
    includeSideband: flag('include_sideband_info') ?? false,
    types: TYPES.get(text('confirmation_type').toLowerCase()) ?? ALL_TYPES,
    accounts: wanted && new Set(wanted),
  }
}

/**
 * Reads options like a node: invalid addresses in a list are skipped, and anything but a list counts as an empty list.
 */
export function optionsIn(tree: RequestTree): SaidOptions {
  const text = (name: string) => findMember(tree, name)?.text ?? ''
  return {
    flag: (name) => toFlag(text(name)),
    text,
    accounts: (name) => findMember(tree, name)?.members.flatMap((member) => addressOf(member.tree.text)),
  }
}

export function toFlag(text: string): boolean | undefined {
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

function addressOf(text: string): [] | [string] {
  const key = fromAddress(text)
  return key === undefined ? [] : [toAddress(key)]
}
