import { AppError } from '../../kernel/errors.ts'
import { textOf } from '../../kernel/shape.ts'

/** The sets of tools that an agent can choose, most useful first, each with its modules. */
const SETS = {
  payments: ['checkout', 'links', 'email'],
  wallets: ['wallets', 'faucet', 'swap'],
  ledger: ['ledger'],
  names: ['names', 'usernames'],
  market: ['market', 'reps'],
  work: ['work'],
  admin: ['accounts', 'billing', 'webhooks'],
} as const satisfies Record<string, readonly string[]>

export type SetName = keyof typeof SETS
const NAMES = Object.keys(SETS) as SetName[]

/** The tools used most, in this order: an agent that names no set gets these first. */
const USUAL = [
  'checkout',
  'checkout_status',
  'wallet_list',
  'wallet_balance',
  'wallet_send',
  'wallet_create',
  'wallet_receive',
  'wallet_delete',
  'account_balance',
  'account_history',
  'account_info',
  'receivable',
  'block_info',
  'find_block',
  'process',
  'validate_account_number',
  'nano_to_raw',
  'raw_to_nano',
  'price',
  'known',
  'checkout_refund',
]

/** The rank of a tool; the most useful has the lowest. */
export function rankOf(module: string, tool: string): number {
  const usual = USUAL.indexOf(tool)
  return usual < 0 ? USUAL.length + setOf(module).rank : usual
}

export function setOf(module: string): { name: SetName; rank: number } {
  const rank = NAMES.findIndex((name) => SETS[name].some((each) => each === module))
  const name = NAMES[rank]
  if (name === undefined) throw new Error(`The tools of ${module} are in no set.`)
  return { name, rank }
}

/** The sets named in an address: `/mcp?tools=payments,wallets`. */
export function readSets(given: unknown): readonly SetName[] | undefined {
  if (given === undefined || given === '') return undefined
  const named = (Array.isArray(given) ? given.join(',') : textOf(given)).split(',').map((name) => name.trim())
  const unknown = named.find((name) => !NAMES.some((each) => each === name))
  if (unknown === undefined) return named as SetName[]
  const detail = `There are these sets of tools: ${NAMES.join(', ')}.`
  throw new AppError('invalid_request', 'Unknown set of tools.', { body: { field: 'tools', detail } })
}
