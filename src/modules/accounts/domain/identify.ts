import { kindOfApiKey } from '../../../kernel/api-key.ts'
import type { Caller } from '../../../kernel/ctx.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { KeyLookup } from '../../../kernel/ports.ts'

const invalidKey = () => new AppError('invalid_key', 'Invalid API Key.')

/** Who is calling. A wrong credential is refused and never treated as none. */
export async function identify(
  keys: KeyLookup,
  credential: string | undefined,
  origin: string | undefined,
): Promise<Caller> {
  if (credential === undefined) return { kind: 'anonymous' }
  const kind = kindOfApiKey(credential)
  if (kind === undefined) throw invalidKey()
  const owner = await keys.find(credential)
  if (!owner) throw invalidKey()
  const { accountId, role, prepaid, keyId } = owner
  if (kind === 'secret') return { kind: 'account', accountId, role, prepaid, door: 'secret-key', keyId }
  // A public key is readable by anybody; what holds it is the page it may be used from.
  if (origin === undefined || !owner.origins.includes(origin)) {
    throw new AppError('origin_not_allowed', 'This public key cannot be used from here.')
  }
  return { kind: 'account', accountId, role, prepaid, door: 'public-key', keyId }
}
