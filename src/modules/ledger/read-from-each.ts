import type { Ctx } from '../../kernel/ctx.ts'
import { type JsonObject, toObject } from '../../kernel/shape.ts'
import { readAccounts } from './identifiers.ts'
import type { LedgerRoom } from './room.ts'

/** Asks a list action of the node and gives every identifier back as it came, found or under `errors`. */
export async function readFromEach(
  { node }: Ctx,
  { names }: LedgerRoom,
  { action, name, accounts: given }: { action: string; name: string; accounts: readonly string[] },
): Promise<JsonObject> {
  const entries = await readAccounts(names, given)
  const wanted = [...new Set(entries.map(({ address }) => address).filter((address) => address !== undefined))]
  const answer = wanted.length ? await node.read(action, { accounts: wanted }) : {}
  const values = toObject(answer[name])
  const refused = toObject(answer.errors)
  const found: JsonObject = {}
  // Keyed by what the client wrote, which may be `__proto__`.
  const errors: JsonObject = Object.create(null)
  for (const { given, address, error } of entries) {
    if (address !== undefined && values[address] !== undefined) found[given] = values[address]
    else errors[given] = error ?? refused[address] ?? 'Account not found'
  }
  return { [name]: found, ...(Object.keys(errors).length > 0 && { errors }) }
}
