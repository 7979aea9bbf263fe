import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import type { Names } from '../../kernel/ports.ts'

/** A book of names from configuration; leases will be written into it as they are sold. */
export function nameBook(entries: Readonly<Record<string, string>>): Names {
  const byName = new Map<string, string>()
  const byAddress = new Map<string, string>()
  for (const [name, text] of Object.entries(entries)) {
    const key = fromAddress(text)
    if (key === undefined) throw new Error(`The name ${name} stands for ${text}, which is no address.`)
    byName.set(name.toLowerCase(), toAddress(key))
    byAddress.set(toAddress(key), name)
  }
  return {
    resolve: (name) => byName.get(name.toLowerCase()),
    usernameOf: (address) => byAddress.get(address),
  }
}
