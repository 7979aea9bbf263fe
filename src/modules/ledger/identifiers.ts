import { AppError } from '../../kernel/errors.ts'
import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { isHex } from '../../kernel/nano/hex.ts'
import type { Names } from '../../kernel/ports.ts'

type GivenAccount =
  | { given: string; address: string; error?: undefined }
  | { given: string; address?: undefined; error: string }

/** Reads a list of accounts: each entry as given, with its address or its error. */
export async function readAccounts(names: Names, given: readonly string[]): Promise<GivenAccount[]> {
  // In parallel, so that unknown names are one query to the store.
  const named = given.some((text) => text.startsWith('@'))
  return named ? Promise.all(given.map((text) => readAccount(names, text))) : given.map(readAddress)
}

async function readAccount(names: Names, text: string): Promise<GivenAccount> {
  if (!text.startsWith('@')) return readAddress(text)
  const address = await names.resolve(text.slice(1), 'read')
  return address === undefined ? { given: text, error: 'Username not found.' } : { given: text, address }
}

function readAddress(text: string): GivenAccount {
  const key = fromAddress(text)
  return key === undefined ? { given: text, error: 'Bad account number' } : { given: text, address: toAddress(key) }
}

/** The same for actions that fail completely when one entry is wrong. */
export async function requireAccounts(names: Names, given: readonly string[], field = 'accounts'): Promise<string[]> {
  return (await readAccounts(names, given)).map(({ address, error }, at) => {
    if (address !== undefined) return address
    const code = error === 'Username not found.' ? 'username_not_found' : 'invalid_account'
    throw new AppError(code, error ?? 'Bad account number', { body: { field: `${field}[${at}]` } })
  })
}

export function requireHashes(given: readonly string[]): string[] {
  const wrong = given.findIndex((text) => !isHex(text, 64))
  if (wrong >= 0) throw new AppError('invalid_hash', 'Bad hash number', { body: { field: `hashes[${wrong}]` } })
  return given.map((text) => text.toUpperCase())
}
