import { fromAddress, toAddress } from '../kernel/nano/address.ts'
import { readFlag } from '../kernel/fields.ts'
import { type RequestTree, exceedsDepth, parseRequest } from '../kernel/nano/request-tree.ts'
import type { Confirmation } from '../kernel/ports.ts'
import { textOf } from '../kernel/shape.ts'

/** Which door a client came by: ours, or the node's, where everything is as a node does it. */
export type SocketForm = 'service' | 'node'

/** What one client wants to know about confirmations. */
export interface Subscription {
  /** Undefined listens to every account. */
  accounts: Set<string> | undefined
  includeBlock: boolean
  includeElection: boolean
  includeSideband: boolean
  /** Kinds of confirmations. */
  types: readonly string[]
}

type Options = Readonly<Record<string, unknown>>

const ALL_TYPES = ['active_quorum', 'active_confirmation_height', 'inactive']
const TYPES = new Map([
  ['all', ALL_TYPES],
  ['active', ['active_quorum', 'active_confirmation_height']],
  ...ALL_TYPES.map((type): [string, string[]] => [type, [type]]),
])

/** Without its accounts, which are added one by one. */
export function readSubscription(options: Options, isFiltered: boolean): Subscription {
  const flag = (name: string) => readFlag(options[name]) ?? false
  return {
    accounts: isFiltered ? new Set() : undefined,
    includeBlock: readFlag(options.include_block) ?? true,
    includeElection: flag('include_election_info') || flag('include_election_info_with_votes'),
    includeSideband: flag('include_sideband_info'),
    types: TYPES.get(textOf(options.confirmation_type ?? 'all')) ?? ALL_TYPES,
  }
}

/** The accounts of a filter; undefined where there is none. No node holds wallets here, so all of those are no account. */
export function filterOf(options: Options): string[] | undefined {
  const accounts = options.accounts === '' ? [] : options.accounts
  if (Array.isArray(accounts)) return addressesIn(accounts)
  return readFlag(options.all_local_accounts) ? [] : undefined
}

export function addressesIn(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  return list
    .map((text) => (typeof text === 'string' ? fromAddress(text) : undefined))
    .filter((key) => key !== undefined)
    .map(toAddress)
}

/** Frames of one confirmation, each form written once. */
export class Frames {
  readonly #confirmation: Confirmation
  readonly #written = new Map<string, string>()

  constructor(confirmation: Confirmation) {
    this.#confirmation = confirmation
  }

  /** Undefined where the subscription is about other confirmations. */
  for(subscription: Subscription, form: SocketForm): string | undefined {
    const { includeBlock, includeElection, includeSideband, types, accounts } = subscription
    if (!types.includes(this.#confirmation.type)) return undefined
    // The node looks for accounts inside the block, so that a filter without blocks lets nothing through.
    if (form === 'node' && accounts && !includeBlock) return undefined
    const key = `${includeBlock}${includeElection}${includeSideband}`
    let frame = this.#written.get(key)
    if (frame === undefined) this.#written.set(key, (frame = write(this.#confirmation, subscription)))
    return frame
  }
}

function write(confirmation: Confirmation, wanted: Subscription): string {
  const { account, amount, hash, type, block, time, election, sideband } = confirmation
  const message = {
    account,
    amount,
    hash,
    confirmation_type: type,
    ...(wanted.includeElection && election && { election_info: election }),
    ...(wanted.includeBlock && { block }),
    ...(wanted.includeSideband && sideband && { sideband }),
  }
  return JSON.stringify({ topic: 'confirmation', time, message })
}

/** A frame of a client as its door reads it; undefined when it is none. */
export function readFrame(text: string, form: SocketForm): Record<string, unknown> | undefined {
  try {
    if (form === 'service') return toRecord(JSON.parse(text))
    if (exceedsDepth(text)) return undefined
    // To a node everything that is JSON is a message; one without members says nothing.
    return toRecord(toValue(parseRequest(text))) ?? {}
  } catch {
    // Not JSON: each door has its own answer to that.
    return undefined
  }
}

export function toRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}

/** The first of two equal names counts, and a list is what has no names. */
function toValue({ text, members }: RequestTree): unknown {
  if (members.length === 0) return text
  if (members.every(({ name }) => name === '')) return members.map(({ tree }) => toValue(tree))
  return Object.fromEntries(members.map(({ name, tree }): [string, unknown] => [name, toValue(tree)]).reverse())
}
