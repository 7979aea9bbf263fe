import { kindOfApiKey } from '../kernel/api-key.ts'
import type { Caller } from '../kernel/ctx.ts'
import { AppError } from '../kernel/errors.ts'
import type { KeyRing } from '../kernel/ports.ts'

const invalidKey = () => new AppError('invalid_key', 'Invalid API Key.')

/** Who is calling. A wrong credential is refused and never treated as none. */
export async function identify(keys: KeyRing, credential: string | undefined): Promise<Caller> {
  if (credential === undefined) return { kind: 'anonymous' }
  const kind = kindOfApiKey(credential)
  if (kind === undefined) throw invalidKey()
  const owner = await keys.find(credential)
  if (!owner) throw invalidKey()
  return { kind: 'account', accountId: owner.accountId, door: kind === 'secret' ? 'secret-key' : 'public-key' }
}
