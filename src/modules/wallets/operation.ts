import { AppError } from '../../kernel/errors.ts'
import { textOf } from '../../kernel/shape.ts'

export type Operation = 'create' | 'list' | 'info' | 'receive' | 'balance' | 'send' | 'delete' | 'update_metadata'

/** Every spelling of `wallet_action`; the first of each is the contract's own. */
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
/** Words that other services of the kind take for yes. */
const WORDS: Partial<Record<(typeof FLAGS)[number], readonly string[]>> = { receive: ['all'] }
const YES = ['true', '1']
const NO = ['false', '0']

/** Members that decide what is meant. */
type OperationFields = Partial<Record<(typeof FLAGS)[number] | 'wallet_action' | 'expire', unknown>> & {
  send?: string
  account?: string
}

/**
 * Which operation a request means, in either style. Two at once mean nothing, and a request that names one which cannot
 * be read is refused: it must never become another.
 */
export function chooseOperation(fields: OperationFields): Operation {
  const named = readName(fields.wallet_action)
  const flagged: Operation[] = FLAGS.filter((flag) => readFlag(flag, fields[flag]))
  if (fields.send !== undefined) flagged.push('send')
  // A lifetime makes a wallet; that it should be over now can only be meant of one that there is.
  if (isNow(fields.expire)) flagged.push('delete')
  const chosen = named ?? flagged[0] ?? (fields.account === undefined ? 'create' : readAlone(fields.expire))
  const other = flagged.find((flag) => flag !== chosen)
  if (other !== undefined)
    throw refuse(isNow(fields.expire) ? 'expire' : other, `A request is one of ${chosen}, ${other}.`)
  return chosen
}

const toWord = (value: unknown) =>
  typeof value === 'string' ? value.trim().toLowerCase() : typeof value === 'object' ? undefined : textOf(value)

/** Whether `expire` says that it should be over instead of how long it should last. */
const isNow = (value: unknown) => toWord(value) === 'true'

/** An account alone is looked at. A lifetime beside it may be meant as a longer or a shorter one, which no operation gives. */
function readAlone(expire: unknown): Operation {
  const isSaid = expire !== undefined && expire !== null && expire !== ''
  if (isSaid && !NO.includes(toWord(expire) ?? '')) {
    throw refuse('expire', 'expire is the lifetime of a new wallet; with an account it must be true, which ends it.')
  }
  return 'info'
}

function readFlag(flag: (typeof FLAGS)[number], value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  const word = toWord(value) ?? ''
  if (YES.includes(word) || WORDS[flag]?.includes(word)) return true
  if (NO.includes(word)) return false
  throw refuse(flag, `${flag} must be true or false.`)
}

function readName(name: unknown): Operation | undefined {
  if (name === undefined || name === null || name === '') return undefined
  const word = typeof name === 'string' ? name.trim().toLowerCase() : ''
  const named = Object.hasOwn(NAMES, word) ? NAMES[word] : undefined
  if (!named) throw refuse('wallet_action', 'Unknown wallet_action.')
  return named
}

/** Operations that change something, and so act once for each idempotency key. */
export function changes(operation: Operation): boolean {
  return operation !== 'list' && operation !== 'info' && operation !== 'balance'
}

const refuse = (field: string, text: string) => new AppError('invalid_request', text, { body: { field } })
