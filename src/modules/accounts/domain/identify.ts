import { actorOf } from '../../../kernel/actor.ts'
import type { Caller } from '../../../kernel/ctx.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { KeyLookup, KeyOwner } from '../../../kernel/ports.ts'
import { accountSuspended } from '../errors.ts'

const invalidKey = () => new AppError('invalid_key', 'Invalid API Key.')

/** Who is calling, at once where the key is known. A wrong credential is refused and never treated as none. */
export function identify(
  keys: KeyLookup,
  credential: string | undefined,
  origin: string | undefined,
): Caller | Promise<Caller> {
  if (credential === undefined) return { kind: 'anonymous' }
  const owner = keys.find(credential)
  return owner instanceof Promise ? owner.then((owner) => toCaller(owner, origin)) : toCaller(owner, origin)
}

/** Who is calling now, whatever is remembered of the key: before money moves, or a key is made. */
export const identifyNow = async (keys: KeyLookup, credential: string, origin: string | undefined): Promise<Caller> =>
  toCaller(await keys.findNow(credential), origin)

function toCaller(owner: KeyOwner | undefined, origin: string | undefined): Caller {
  if (!owner) throw invalidKey()
  const { accountId, kind, role, prepaid, keyId, origins, rights, plan } = owner
  if (owner.isSuspended) throw accountSuspended()
  const actor = actorOf.key(keyId)
  if (kind === 'secret')
    return { kind: 'account', accountId, role, prepaid, door: 'secret-key', keyId, actor, rights, plan }
  // A public key is readable by anybody; what holds it is the page it may be used from.
  if (origin === undefined || !origins.includes(origin)) {
    throw new AppError('origin_not_allowed', 'This public key cannot be used from this origin.')
  }
  return { kind: 'account', accountId, role, prepaid, door: 'public-key', keyId, actor, rights }
}
