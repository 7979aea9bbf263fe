/** Whether and how long the answers of an action may be remembered. */
type CacheRule =
  /** A confirmed block with a successor never changes. Before that it is remembered for a second. */
  | { kind: 'immutable'; milliseconds: number }
  /** Dropped by a confirmation, or by a block of ours, that concerns the accounts in question. */
  | { kind: 'events'; milliseconds: number }
  | { kind: 'short'; milliseconds: number }
  | { kind: 'never' }

interface Policy {
  cache: CacheRule
  timeoutMilliseconds: number
}

const READ_TIMEOUT = 5_000
const never: Policy = { cache: { kind: 'never' }, timeoutMilliseconds: READ_TIMEOUT }
const immutable: Policy = { cache: { kind: 'immutable', milliseconds: 1_000 }, timeoutMilliseconds: READ_TIMEOUT }
const events: Policy = { cache: { kind: 'events', milliseconds: 2_000 }, timeoutMilliseconds: READ_TIMEOUT }
const short = (seconds: number): Policy => ({
  cache: { kind: 'short', milliseconds: seconds * 1_000 },
  timeoutMilliseconds: READ_TIMEOUT,
})

const POLICIES: Record<string, Policy> = {
  block_info: immutable,
  block: immutable,
  blocks_info: immutable,
  account_balance: events,
  accounts_balances: events,
  account_history: events,
  receivable: events,
  accounts_receivable: events,
  pending: events,
  accounts_pending: events,
  block_count: short(1),
  frontier_count: short(1),
  telemetry: short(5),
  peers: short(5),
  confirmation_quorum: short(5),
  version: short(60),
  active_difficulty: short(60),
  available_supply: short(5),
  representatives: short(60),
  representatives_online: short(60),
  delegators: short(60),
  delegators_count: short(60),
}

/**
 * Answers of actions not listed are shared by simultaneous callers but never cached, above all `account_info`, from
 * which blocks are built.
 */
export function policyOf(action: string): Policy {
  return POLICIES[action] ?? never
}

const LISTS: Record<string, string> = {
  representatives: 'representatives',
  representatives_online: 'representatives',
  peers: 'peers',
}

/**
 * A node that has just started knows no peers yet. Its empty list is correct only for a moment, so it must not be
 * remembered for a minute.
 */
export function isBlank(action: string, answer: Record<string, unknown>): boolean {
  const list = LISTS[action]
  if (list === undefined) return false
  const found = answer[list]
  return found === '' || (typeof found === 'object' && found !== null && Object.keys(found).length === 0)
}

const NO_SUCCESSOR = '0'.repeat(64)

/** Whether the record of a block, as far as it was asked for, can never change again. */
export function isSettled(action: string, answer: Record<string, unknown>): boolean {
  if (action === 'block_info' || action === 'block') return isSettledBlock(answer)
  if (action !== 'blocks_info' || typeof answer.blocks !== 'object' || answer.blocks === null) return false
  if (Array.isArray(answer.blocks_not_found) && answer.blocks_not_found.length > 0) return false
  return Object.values(answer.blocks).every((block) => isSettledBlock(block as Record<string, unknown>))
}

function isSettledBlock(block: Record<string, unknown>): boolean {
  if (block.confirmed !== 'true' || block.successor === NO_SUCCESSOR) return false
  if (block.receivable === '1' || block.pending === '1') return false
  // A send that was not received yet gets a receive hash later. Legacy blocks do not say whether they are sends.
  return block.receive_hash !== NO_SUCCESSOR || (block.subtype !== undefined && block.subtype !== 'send')
}
