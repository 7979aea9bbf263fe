import { type Actor } from '../../../kernel/actor.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { insertAudit } from '../../accounts/index.ts'
import { type NameLease, statusAt, toNameKey, updateIndexed } from '../../names/index.ts'
import { noSuchName } from '../errors.ts'
import type { UsernameRoom } from '../room.ts'

interface Wish {
  name: string
  accountId: string
  actor: Actor
  indexed: boolean
}

/** Lets search engines list the page of a name, or no more. Only the account that leases it may. */
export async function setIndexed({ checkouts }: UsernameRoom, wish: Wish): Promise<NameLease> {
  const { name, accountId, actor, indexed } = wish
  const key = toNameKey(name.replace(/^@/, ''))
  if (key === undefined) throw noSuchName()
  return inTx(checkouts, async (tx) => {
    const lease = await updateIndexed(tx.db, { key, accountId, indexed })
    if (!lease || statusAt(lease, tx.clock.now()) === 'available') throw noSuchName()
    await insertAudit(tx, { actor, accountId, what: 'name.indexed', detail: { name: lease.name, indexed } })
    return lease
  })
}
