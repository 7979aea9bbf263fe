import type { Ctx } from '../../kernel/ctx.ts'
import { AppError } from '../../kernel/errors.ts'
import { field, optional } from '../../kernel/fields.ts'
import type { Names } from '../../kernel/ports.ts'
import { type Json, type JsonObject, orEmpty, toObject } from '../../kernel/shape.ts'
import { withDetails } from './actions/receivable.ts'
import { readAccounts } from './identifiers.ts'
import { type LedgerContext, boundedCount } from './context.ts'

/** The flags of requests for the receivable sends of many accounts. */
export const MANY_WAITING = {
  accounts: field.accounts,
  count: optional(field.count),
  threshold: optional(field.threshold),
  sorting: optional(field.flag('Largest first.')),
  include_active: optional(field.flag('Include blocks in an open election.')),
  include_only_confirmed: optional(field.flag('Confirmed sends only, which is the default.')),
}

interface Asked {
  accounts: string[]
  count?: number
  threshold?: bigint
  source?: boolean | undefined
  [flag: string]: unknown
}

/** The receivable sends of many accounts, in the shape that the flags request from the node. */
export async function listWaiting(
  { node }: Ctx,
  { accounts, count, threshold, ...flags }: Asked,
  { names, countMax }: LedgerContext,
): Promise<JsonObject> {
  const entries = await readAccounts(names, accounts)
  // A wrong address fails the request, as it does in the node; an expired username fails only its own entry.
  const wrong = entries.findIndex(({ given, error }) => error !== undefined && !given.startsWith('@'))
  if (wrong >= 0) {
    throw new AppError('invalid_account', 'Bad account number', { body: { field: `accounts[${wrong}]` } })
  }
  const known = entries.filter((entry) => entry.address !== undefined)
  const answer =
    known.length === 0
      ? {}
      : await node.read('accounts_receivable', {
          accounts: [...new Set(known.map(({ address }) => address))],
          count: boundedCount({ countMax }, count),
          threshold: threshold?.toString(),
          ...flags,
        })
  const found = toObject(answer.blocks)
  const blocks: JsonObject = {}
  for (const { given, address } of known) {
    const waiting = shape(names, found[address])
    if (waiting !== '') blocks[given] = waiting
  }
  const unknown = entries.filter((entry) => entry.address === undefined)
  return {
    blocks: orEmpty(blocks),
    ...(unknown.length > 0 && { errors: Object.fromEntries(unknown.map(({ given, error }) => [given, error])) }),
  }
}

/** Hashes stay a list and amounts stay amounts; objects get their `_nano` counterpart and username. */
function shape(names: Names, waiting: Json | undefined): Json {
  if (Array.isArray(waiting)) return waiting.length > 0 ? waiting : ''
  const shaped: JsonObject = {}
  for (const [hash, details] of Object.entries(toObject(waiting))) shaped[hash] = withDetails(names, details)
  return orEmpty(shaped)
}

/** Sends a list action to the node and returns every identifier as the client wrote it, with its value or under `errors`. */
export async function readFromEach(
  { node }: Ctx,
  { names }: LedgerContext,
  { action, name, accounts: given }: { action: string; name: string; accounts: readonly string[] },
): Promise<JsonObject> {
  const entries = await readAccounts(names, given)
  const wanted = [...new Set(entries.map(({ address }) => address).filter((address) => address !== undefined))]
  const answer = wanted.length ? await node.read(action, { accounts: wanted }) : {}
  const values = toObject(answer[name])
  const refused = toObject(answer.errors)
  const found: JsonObject = {}
  // Without a prototype, because a key is what the client wrote, which may be `__proto__`.
  const errors: JsonObject = Object.create(null)
  for (const { given, address, error } of entries) {
    if (address !== undefined && values[address] !== undefined) found[given] = values[address]
    else errors[given] = error ?? refused[address] ?? 'Account not found'
  }
  return { [name]: found, ...(Object.keys(errors).length > 0 && { errors }) }
}
