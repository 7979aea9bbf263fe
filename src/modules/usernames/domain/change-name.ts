import type { JsonObject } from '../../../kernel/shape.ts'
import type { Fulfil } from '../../billing/index.ts'
import { lockLease, statusAt, updateProfile } from '../../names/index.ts'

export const NAME_UPDATE = 'name_update'

/** What an order of a change says; an empty text or null takes a member away. */
export interface ChangeDetail {
  name: string
  address: string | null
  profile: JsonObject
}

/** A paid change of a name: carried out when its owner has paid while the lease ran, otherwise the money goes back. */
export const changeName =
  (onChange: (key: string) => void): Fulfil =>
  async (tx, { subject: key, detail }, { payer, at: paidAt }) => {
    const { address, profile } = detail as unknown as ChangeDetail
    const now = tx.clock.now()
    const held = await lockLease(tx.db, key)
    if (!held || statusAt(held, Math.min(paidAt, now)) !== 'leased') return { refund: 'name_not_leased' }
    if (held.owner !== payer) return { refund: 'not_the_owner' }
    await updateProfile(tx.db, {
      key,
      address: address ?? held.address,
      profile: merge(held.profile, profile),
      changedAt: Math.max(now, held.changedAt + 1),
    })
    return { what: `@${held.name} changed`, told: () => onChange(key) }
  }

function merge(profile: JsonObject, changes: JsonObject): JsonObject {
  const merged = { ...profile, ...changes }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== '' && value !== null))
}
