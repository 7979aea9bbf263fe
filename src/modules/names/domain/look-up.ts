import { fromAddress, toAddress } from '../../../kernel/nano/address.ts'
import type { Names } from '../../../kernel/ports.ts'
import type { JsonObject } from '../../../kernel/shape.ts'

const NAMES_MAX = 100

/**
 * The document by which wallets look names up: for each name its address, for each address its name. A wallet that asks is
 * about to pay, so that names are resolved as where money moves. A name is repeated as it was asked for, because
 * wallets compare it.
 */
export async function lookUpNames(names: Names, asked: string): Promise<{ names: JsonObject[] }> {
  const given = [...new Set(asked.split(',').map((entry) => entry.trim().replace(/^@/, '')))].slice(0, NAMES_MAX)
  const found: JsonObject[] = []
  for (const entry of given) {
    const account = fromAddress(entry)
    if (account !== undefined) {
      const name = names.usernameOf(toAddress(account))
      if (name !== undefined) found.push({ name, address: toAddress(account) })
      continue
    }
    const address = await names.resolve(entry, 'money')
    if (address !== undefined) found.push({ name: entry, address })
  }
  return { names: found }
}
