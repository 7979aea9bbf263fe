import type { JsonObject } from '../../../kernel/shape.ts'
import type { Fulfil } from '../../billing/index.ts'
import { type NameLease, lockLease, statusAt, updateProfile } from '../../names/index.ts'

export const NAME_UPDATE = 'name_update'

/** What is to change; `remove` names members that are taken away. */
export type NameChanges = JsonObject & { address?: string; remove?: string[] }

/** By whose word: that of the account that leases the name, or that of the address that owns it. */
export type Authorization = { accountId: string } | { owner: string }

/** What an order of a change says. Anybody may ask and anybody may pay; neither says that it may happen. */
export interface ChangeDetail {
  name: string
  changes: NameChanges | null
  authorized: Authorization | null
}

/** Whether the word still counts: a name may have a new owner since it was given. */
const isGood = (authorized: Authorization, { accountId, owner }: NameLease) =>
  'owner' in authorized ? authorized.owner === owner : accountId !== null && authorized.accountId === accountId

/**
 * A paid change of a name. Who paid means nothing: a stranger who makes an owner pay an amount must not gain the name by it. It
 * is carried out by the word of whose the name is, and until there is one the money waits.
 */
export const changeName =
  (onChange: (key: string) => void): Fulfil =>
  async (tx, { subject: key, detail }, { at: paidAt }) => {
    const { changes = null, authorized = null } = detail as unknown as Partial<ChangeDetail>
    const now = tx.clock.now()
    const held = await lockLease(tx.db, key)
    if (!held || statusAt(held, Math.min(paidAt, now)) !== 'leased') return { refund: 'name_not_leased' }
    if (!changes || !authorized) return 'unauthorized'
    if (!isGood(authorized, held)) return { refund: 'not_the_owner' }
    const { address, remove = [], ...profile } = changes
    await updateProfile(tx.db, {
      key,
      address: address ?? held.address,
      profile: merge(held.profile, profile, remove),
      changedAt: Math.max(now, held.changedAt + 1),
    })
    return { what: `@${held.name} changed`, told: () => onChange(key) }
  }

function merge(profile: JsonObject, changes: JsonObject, remove: readonly string[]): JsonObject {
  const merged = Object.entries({ ...profile, ...changes })
  return Object.fromEntries(merged.filter(([name]) => !remove.includes(name)))
}
