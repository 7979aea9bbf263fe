import { type LeasePeriod, addPeriod } from './lease-period.ts'
import type { Fulfil } from '../../billing/index.ts'
import { type NameLease, insertLease, lockLease, statusAt, toDay, updateLease } from '../../names/index.ts'

const DAY = 86_400_000
const GRACE = 10 * DAY
const SHORT_GRACE = DAY
/** Leases up to this long have the short grace period. */
const SHORT_DAYS_MAX = 2

export const NAME = 'name'

/** What an order of a name says about what is sold. */
export interface NameDetail {
  name: string
  periods: LeasePeriod[]
}

/** How long a name stays its owner's after a lease of this length (contract 3, Username). */
function graceOf({ unit, count }: LeasePeriod): number {
  return unit === 'day' && count <= SHORT_DAYS_MAX ? SHORT_GRACE : GRACE
}

/**
 * A confirmed payment for a name: it becomes the payer's, or its lease longer, or it is taken and the money goes
 * back. The first transaction that gets here wins; a payment for the same name meanwhile waits for it. What a payer may
 * do is judged by the time of the payment, so that a gateway that was away changes no owner's rights.
 */
export const leaseName =
  (onChange: (key: string) => void): Fulfil =>
  async (tx, { subject: key, accountId, detail }, { plan, payer, at: paidAt }) => {
    const { name, periods } = detail as unknown as NameDetail
    const period = periods[plan ?? -1]
    if (!period) throw new Error('No plan of this name has this amount.')
    const now = tx.clock.now()
    const expiresAt = addPeriod(now, period)
    const fresh: NameLease = {
      key,
      name,
      owner: payer,
      address: payer,
      accountId,
      createdAt: now,
      expiresAt,
      graceUntil: expiresAt + graceOf(period),
      profile: {},
      changedAt: now,
      indexed: false,
    }
    const told = () => onChange(key)
    if (await insertLease(tx.db, fresh)) return { what: `@${name} until ${toDay(expiresAt)}`, told }
    const held = (await lockLease(tx.db, key))!
    const isFree = statusAt(held, Math.min(paidAt, now)) === 'available'
    const isOwn = held.owner === payer || (held.accountId !== null && held.accountId === accountId)
    if (!isFree && !isOwn) return { refund: 'name_taken' }
    // Later than any other change of it, whatever the clocks say: a reader of two knows which is newer.
    const changedAt = Math.max(now, held.changedAt + 1)
    const lease = isFree ? { ...fresh, changedAt } : extend(held, { period, changedAt })
    await updateLease(tx.db, lease)
    return { what: `@${lease.name} until ${toDay(lease.expiresAt)}`, told }
  }

/**
 * The period is added to the expiry, also in grace: the days since then were its owner's. A grace period that was long stays long. Whose the name is stays as it is: anybody
 * may have made the offer that its owner pays.
 */
function extend(
  held: NameLease,
  { period, changedAt }: { period: LeasePeriod } & Pick<NameLease, 'changedAt'>,
): NameLease {
  const expiresAt = addPeriod(held.expiresAt, period)
  const grace = Math.max(held.graceUntil - held.expiresAt, graceOf(period))
  return {
    ...held,
    expiresAt,
    graceUntil: expiresAt + grace,
    changedAt,
  }
}
