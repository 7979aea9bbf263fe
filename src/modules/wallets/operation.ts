import { AppError } from '../../kernel/errors.ts'
import { textOf } from '../../kernel/shape.ts'

export type Operation = 'create' | 'list' | 'info' | 'receive' | 'balance' | 'send' | 'delete' | 'update_metadata'

/** Every spelling of `wallet_action`; the first of each is the one in the contract. */
const NAMES: Record<string, Operation> = {
  create_wallet: 'create',
  create: 'create',
  list_wallets: 'list',
  list: 'list',
  account_info: 'info',
  wallet_info: 'info',
  info: 'info',
  receive: 'receive',
  balance: 'balance',
  wallet_balance: 'balance',
  send: 'send',
  delete: 'delete',
  delete_wallet: 'delete',
  expire: 'delete',
  update_metadata: 'update_metadata',
}

const FLAGS = ['list', 'receive', 'balance', 'delete', 'info', 'update_metadata'] as const
/** Members that select an operation or are essential to it: an empty one is refused, because the client meant to set it. */
export const DECIDING = ['wallet_action', ...FLAGS, 'send', 'address', 'amount', 'account'] as const
/** The members each operation uses beside `wallet_action` and its flag. */
const USED: Record<Operation, readonly string[]> = {
  create: ['vanity', 'refund_address', 'expire', 'metadata'],
  list: ['limit', 'start', 'search', 'metadata'],
  info: ['account'],
  receive: ['account'],
  balance: ['account'],
  send: ['account', 'send', 'address', 'amount'],
  delete: ['account', 'expire'],
  update_metadata: ['account', 'metadata'],
}
/** Values that similar services accept as yes. */
const WORDS: Partial<Record<(typeof FLAGS)[number], readonly string[]>> = { receive: ['all'] }
const YES = ['true', '1']
const NO = ['false', '0']

/** The members that select the operation. */
type OperationFields = Partial<Record<(typeof FLAGS)[number] | 'wallet_action' | 'expire', unknown>> & {
  send?: string
  account?: string
}

/**
 * Finds the operation of a request, in either style.
 * Two operations at once are refused, and so is one that cannot be read: it must never be taken for another.
 */
export function chooseOperation(fields: OperationFields): Operation {
  const named = readName(fields.wallet_action)
  const flagged: Operation[] = FLAGS.filter((flag) => readFlag(flag, fields[flag]))
  if (fields.send !== undefined) flagged.push('send')
  // `expire` as a lifetime makes a wallet; "now" can only refer to an existing one.
  if (isNow(fields.expire)) flagged.push('delete')
  const chosen = named ?? flagged[0] ?? (fields.account === undefined ? 'create' : readAlone(fields.expire))
  const other = flagged.find((flag) => flag !== chosen)
  if (other !== undefined)
    throw refuse(isNow(fields.expire) ? 'expire' : other, `A request is one of ${chosen}, ${other}.`)
  return chosen
}

/**
 * Refuses members of another operation: a payout without its destination must not become a balance request, nor the filter of a list a
 * new wallet. A flag that says no is ignored, except where a wallet would be made.
 */
export function refuseOthers(fields: OperationFields): void {
  const operation = chooseOperation(fields)
  const used = new Set<string>(['wallet_action', ...USED[operation]])
  const saysNo = ([name, value]: [string, unknown]) =>
    operation !== 'create' && (name === 'expire' || FLAGS.some((flag) => flag === name)) && isNo(value)
  const other = Object.entries(fields).find(
    (field) => field[1] !== undefined && field[0] !== operation && !used.has(field[0]) && !saysNo(field),
  )
  if (other) throw refuse(other[0], `${other[0]} does not belong to ${operation}.`)
}

const toWord = (value: unknown) =>
  typeof value === 'string' ? value.trim().toLowerCase() : typeof value === 'object' ? undefined : textOf(value)

/** Whether `expire` means "end it now" instead of a lifetime. */
const isNow = (value: unknown) => toWord(value) === 'true'
const isNo = (value: unknown) => NO.includes(toWord(value) ?? '')

/** With an account alone, the balance is meant. A lifetime beside it may mean a longer or shorter one, which no operation offers. */
function readAlone(expire: unknown): Operation {
  if (expire !== undefined && !isNo(expire)) {
    throw refuse('expire', 'expire is the lifetime of a new wallet; with an account it must be true, which ends it.')
  }
  return 'info'
}

function readFlag(flag: (typeof FLAGS)[number], value: unknown): boolean {
  if (value === undefined) return false
  const word = toWord(value) ?? ''
  if (YES.includes(word) || WORDS[flag]?.includes(word)) return true
  if (NO.includes(word)) return false
  throw refuse(flag, `${flag} must be true or false.`)
}

function readName(name: unknown): Operation | undefined {
  if (name === undefined) return undefined
  const word = typeof name === 'string' ? name.trim().toLowerCase() : ''
  const named = Object.hasOwn(NAMES, word) ? NAMES[word] : undefined
  if (!named) throw refuse('wallet_action', 'Unknown wallet_action.')
  return named
}

/** Operations that change something, and so must run only once for each idempotency key. */
export function changes(operation: Operation): boolean {
  return operation !== 'list' && operation !== 'info' && operation !== 'balance'
}

const refuse = (field: string, text: string) => new AppError('invalid_request', text, { body: { field } })
