import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type Fulfil, openOrder } from '../../billing/index.ts'
import type { Checkout } from '../../checkout/index.ts'
import { type NameLease, insertLease, lockLease, statusAt, toDay, updateLease } from '../../names/index.ts'
import type { UsernameRoom } from '../room.ts'
import { type LeasePeriod, addPeriod } from '../settings.ts'
import { type FoundName, findName } from './find-name.ts'

interface NameOffer extends FoundName {
  /** As it is written. */
  shown: string
  /** What is paid for it; nothing for a name that cannot be leased. */
  checkout: Checkout | undefined
}

/** Offers a name for lease or, where it is leased, for its owner to extend. */
export async function offerName(
  room: UsernameRoom,
  payer: string,
  {
    name,
    accountId,
    back,
    idempotency,
  }: { name: string; accountId: string | null; back?: string; idempotency?: Idempotency | undefined },
): Promise<NameOffer> {
  const found = await findName(room.checkouts, name)
  const { key, status, lease } = found
  const shown = lease?.name ?? name
  if (status === 'reserved') return { ...found, shown, checkout: undefined }
  const { namePlans } = room
  const checkout = await openOrder(room, payer, {
    kind: NAME,
    subject: key,
    accountId,
    detail: { name: shown, periods: namePlans.map(({ period }) => ({ ...period })) } satisfies NameDetail,
    title: `Username @${shown}`,
    description: describe(shown, lease, accountId),
    plans: namePlans.map(({ title, price }) => ({ title, price })),
    back,
    idempotency,
  })
  return { ...found, shown, checkout }
}

/** A payer of an offer that another caller has made must know whom the name will belong to. */
function describe(name: string, lease: NameLease | undefined, accountId: string | null): string {
  if (lease && accountId !== null && lease.accountId === accountId) {
    return `Extends the lease of @${name}, whoever pays.`
  }
  if (lease)
    return `Only @${name} itself can extend the lease: pay from ${lease.owner}. Any other payment is sent back.`
  const also = accountId === null ? '' : ' It belongs to the account that made this offer as well, which can change it.'
  return `Pay from the wallet that @${name} should stand for: the address that pays becomes its owner.${also} Do not pay from an exchange. If somebody else is faster, your payment is sent back.`
}

const DAY = 86_400_000
const GRACE = 10 * DAY
const SHORT_GRACE = DAY
/** Leases up to this long have the short grace period. */
const SHORT_DAYS_MAX = 2

export const NAME = 'name'

/** What an order of a name says about what is sold. */
interface NameDetail {
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
