import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Names } from '../../../kernel/ports.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { type NameLease, type LeaseStatus, findLease, showName, statusAt, toUnix } from '../../names/index.ts'

export interface FoundName {
  key: string
  status: LeaseStatus | 'reserved'
  /** Of its present owner, also in its grace period. */
  lease: NameLease | undefined
}

/** How a name stands at this moment. A lease goes before a reservation: its lessee keeps it. */
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

/** A lease for everybody to see: all of it but the account is on the ledger anyway. */
export function showLease(lease: NameLease): JsonObject {
  return { ...showName(lease), owner: lease.owner, grace_until_unix: toUnix(lease.graceUntil) }
}
