import type { Action } from '../../kernel/action.ts'
import { AppError } from '../../kernel/errors.ts'
import type { NameUse, Names } from '../../kernel/ports.ts'

/** Single fields in which a username may replace an address; actions resolve the entries of lists themselves. */
const NAME_FIELDS = ['account', 'address', 'refund_address', 'send'] as const
type NameField = (typeof NAME_FIELDS)[number]

interface ResolvedParams {
  params: Readonly<Record<string, unknown>>
  /** The address of the `@name` in `account` or `address`, which the answer repeats. */
  resolved: string | undefined
}

type Params = ResolvedParams['params']

/**
 * Replaces usernames by their addresses, once, before any other code sees the fields. Unknown fields are not read. Most requests contain no
 * names, and for those this returns at once.
 */
export function resolveNames(names: Names, params: Params, action: Action): ResolvedParams | Promise<ResolvedParams> {
  const given = findNames(params, action)
  return given === undefined ? { params, resolved: undefined } : resolveEach(names, params, given)
}

interface GivenName {
  field: string
  name: string
  use: NameUse
}

function findNames(params: Params, action: Action): GivenName[] | undefined {
  const { input, fieldSynonyms } = action
  let given: GivenName[] | undefined
  for (const field of fieldSynonyms ? [...NAME_FIELDS, ...Object.keys(fieldSynonyms)] : NAME_FIELDS) {
    const value = params[field]
    if (typeof value !== 'string' || !value.startsWith('@')) continue
    const meant = NAME_FIELDS.find((name) => name === (fieldSynonyms?.[field] ?? field))
    if (meant === undefined || !(meant in input.properties)) continue
    given ??= []
    given.push({ field, name: value.slice(1), use: useOf(meant, action) })
  }
  return given
}

/** Whether the name may receive money. The field `account` only names an owner, so it counts as reading. */
function useOf(field: NameField, { once, onceWhen }: Action): NameUse {
  if (field === 'send' || field === 'refund_address') return 'money'
  return field === 'address' && (once || onceWhen) ? 'money' : 'read'
}

async function resolveEach(names: Names, params: Params, given: readonly GivenName[]): Promise<ResolvedParams> {
  const changed: Record<string, unknown> = { ...params }
  let resolved: string | undefined
  for (const { field, name, use } of given) {
    const address = await names.resolve(name, use)
    if (address === undefined) throw new AppError('username_not_found', 'Username not found.', { body: { field } })
    changed[field] = address
    if (field === 'account' || field === 'address') resolved ??= address
  }
  return { params: changed, resolved }
}
