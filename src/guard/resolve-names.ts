import type { Action } from '../kernel/action.ts'
import { AppError } from '../kernel/errors.ts'
import type { Names } from '../kernel/ports.ts'

/** Single fields in which a username may stand for an address; lists are resolved entry by entry in their actions. */
const NAME_FIELDS = ['account', 'address', 'refund_address', 'send'] as const

export interface ResolvedParams {
  params: Readonly<Record<string, unknown>>
  /** The address behind `@name` in `account` or `address`, which the answer repeats. */
  resolved: string | undefined
}

/** Replaces usernames by their addresses, once, before anything looks at the fields. Unknown fields stay unread. */
export function resolveNames(
  names: Names,
  params: Readonly<Record<string, unknown>>,
  { input, fieldSynonyms }: Action,
): ResolvedParams {
  let changed: Record<string, unknown> | undefined
  let resolved: string | undefined
  for (const name of fieldSynonyms ? [...NAME_FIELDS, ...Object.keys(fieldSynonyms)] : NAME_FIELDS) {
    const value = params[name]
    if (typeof value !== 'string' || !value.startsWith('@')) continue
    const meant = fieldSynonyms?.[name] ?? name
    if (!(meant in input.properties) || !NAME_FIELDS.some((field) => field === meant)) continue
    const address = names.resolve(value.slice(1))
    if (address === undefined) {
      throw new AppError('username_not_found', 'Username not found.', { body: { field: name } })
    }
    changed ??= { ...params }
    changed[name] = address
    if (name === 'account' || name === 'address') resolved ??= address
  }
  return { params: changed ?? params, resolved }
}
