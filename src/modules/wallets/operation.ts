import { AppError } from '../../kernel/errors.ts'

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

/** Members that decide what is meant. */
interface OperationFields {
  wallet_action?: string
  list?: boolean | undefined
  receive?: boolean | undefined
  balance?: boolean | undefined
  delete?: boolean | undefined
  info?: boolean | undefined
  update_metadata?: boolean | undefined
  send?: string
  account?: string
}

/** Which operation a request means, in either style. Two at once mean nothing. */
export function chooseOperation(fields: OperationFields): Operation {
  const named = readName(fields.wallet_action)
  const flagged: Operation[] = FLAGS.filter((flag) => fields[flag] === true)
  if (fields.send !== undefined) flagged.push('send')
  const chosen = named ?? flagged[0] ?? (fields.account === undefined ? 'create' : 'info')
  const other = flagged.find((flag) => flag !== chosen)
  if (other !== undefined) throw refuse(other, `A request is one of ${chosen}, ${other}.`)
  return chosen
}

function readName(name: string | undefined): Operation | undefined {
  if (name === undefined) return undefined
  const named = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined
  if (!named) throw refuse('wallet_action', 'Unknown wallet_action.')
  return named
}

/** Operations that change something, and so act once for each idempotency key. */
export function changes(operation: Operation): boolean {
  return operation !== 'list' && operation !== 'info' && operation !== 'balance'
}

const refuse = (field: string, text: string) => new AppError('invalid_request', text, { body: { field } })
