import type { Actor } from '../../../kernel/actor.ts'
import type { Caller } from '../../../kernel/ctx.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { Names } from '../../../kernel/ports.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { insertAudit } from '../../accounts/index.ts'
import {
  type LeaseStatus,
  type NameLease,
  findLease,
  showName,
  statusAt,
  toNameKey,
  toUnix,
  updateIndexed,
} from '../../names/index.ts'
import { noSuchName } from '../errors.ts'
import type { UsernameContext } from '../context.ts'

export interface FoundName {
  key: string
  status: LeaseStatus | 'reserved'
  /** The lease of the current owner, also during its grace period. */
  lease: NameLease | undefined
}

/** The current state of a name. A lease goes before a reserved word, so its lessee keeps it. */
export async function findName(
  { db, clock, names }: Pick<StoreCtx, 'db' | 'clock'> & { names: Names },
  name: string,
): Promise<FoundName> {
  const key = name.toLowerCase()
  const lease = await findLease(db, key)
  const status = lease ? statusAt(lease, clock.now()) : 'available'
  if (status !== 'available') return { key, status, lease }
  return { key, status: names.isReserved(key) ? 'reserved' : 'available', lease: undefined }
}

/** The public part of a lease: everything except the account is on the ledger anyway. */
export function showLease(lease: NameLease): JsonObject {
  return { ...showName(lease), owner: lease.owner, grace_until_unix: toUnix(lease.graceUntil) }
}

interface Wish {
  name: string
  accountId: string
  actor: Actor
  indexed: boolean
}

/** Sets whether search engines may list the page of a name. Only the account that leases it may. */
export async function setIndexed({ checkouts }: UsernameContext, wish: Wish): Promise<NameLease> {
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

/** The account in whose list a name will be. Anybody can read a public key, so it identifies no account. */
export const accountOf = (caller: Caller) =>
  caller.kind === 'account' && caller.access === 'secret-key' ? caller.accountId : null
