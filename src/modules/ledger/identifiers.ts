import type { Ctx } from '../../kernel/ctx.ts'
import { AppError } from '../../kernel/errors.ts'
import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { isHex } from '../../kernel/nano/hex.ts'

/** Entries of a list of accounts, each as it was given and as the address it means, or why it means none. */
export function readAccounts(ctx: Ctx, given: readonly string[]) {
  return given.map((text) => {
    if (text.startsWith('@')) {
      const address = ctx.names.resolve(text.slice(1))
      return address === undefined ? { given: text, error: 'Username not found.' } : { given: text, address }
    }
    const key = fromAddress(text)
    return key === undefined ? { given: text, error: 'Bad account number' } : { given: text, address: toAddress(key) }
  })
}

/** The same for actions that fail as a whole when one entry is wrong. */
export function requireAccounts(ctx: Ctx, given: readonly string[], field = 'accounts'): string[] {
  return readAccounts(ctx, given).map(({ address, error }, at) => {
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
