import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type Fulfil, openOrder } from '../../billing/index.ts'
import type { Checkout } from '../../checkout/index.ts'
import { type NameLease, insertLease, lockLease, statusAt, toDay, updateLease } from '../../names/index.ts'
import type { UsernameContext } from '../context.ts'
import { type LeasePeriod, addPeriod } from '../settings.ts'
import { type FoundName, findName } from './find-name.ts'

interface NameOffer extends FoundName {
  /** As the caller wrote it. */
  shown: string
  /** The checkout to pay; undefined for a name that cannot be leased. */
  checkout: Checkout | undefined
}

/** Offers the lease of a name or, where it is leased, its extension by the owner. */
export async function offerName(
  context: UsernameContext,
  payer: string,
  {
    name,
    accountId,
    back,
    idempotency,
  }: { name: string; accountId: string | null; back?: string; idempotency?: Idempotency | undefined },
): Promise<NameOffer> {
  const found = await findName(context.checkouts, name)
  const { key, status, lease } = found
  const shown = lease?.name ?? name
  if (status === 'reserved') return { ...found, shown, checkout: undefined }
  const { namePlans } = context
  const checkout = await openOrder(context, payer, {
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

/** Someone who pays another caller's offer must know whom the name will belong to. */
function describe(name: string, lease: NameLease | undefined, accountId: string | null): string {
  if (lease && accountId !== null && lease.accountId === accountId) {
    return `Extends the lease of @${name}, whoever pays.`
  }
  if (lease)
    return `Only @${name} itself can extend the lease: pay from ${lease.owner}. Any other payment is sent back.`
  const also = accountId === null ? '' : ' It belongs to the account that made this offer as well, which can change it.'
  return `Pay from the wallet that @${name} should stand for: the address that pays becomes its owner.${also} Do not pay from an exchange. If another payer is faster, your payment is sent back.`
}

const DAY = 86_400_000
const GRACE = 10 * DAY
const SHORT_GRACE = DAY
/** Leases up to this many days have the short grace period. */
const SHORT_DAYS_MAX = 2

export const NAME = 'name'

/** The details of a name's order. */
interface NameDetail {
  name: string
  periods: LeasePeriod[]
}

/** The length of the grace period after a lease of this length (contract 3, Username). */
function graceOf({ unit, count }: LeasePeriod): number {
  return unit === 'day' && count <= SHORT_DAYS_MAX ? SHORT_GRACE : GRACE
}

/**
 * Handles a confirmed payment for a name: the payer gets the name, or its lease is extended, or the money is refunded because someone else has the
 * name. The first transaction wins; a concurrent payment for the same name waits. What a payer may do is decided by the time of the payment, so that
 * nobody gains or loses a right because the gateway was down.
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
    const afterCommit = () => onChange(key)
    if (await insertLease(tx.db, fresh)) return { what: `@${name} until ${toDay(expiresAt)}`, afterCommit }
    const held = (await lockLease(tx.db, key))!
    const isFree = statusAt(held, Math.min(paidAt, now)) === 'available'
    const isOwn = held.owner === payer || (held.accountId !== null && held.accountId === accountId)
    if (!isFree && !isOwn) return { refund: 'name_taken' }
    // Later than the name's last change even if a clock was set back, so that a reader with two versions of the lease knows which one is newer.
    const changedAt = Math.max(now, held.changedAt + 1)
    const lease = isFree ? { ...fresh, changedAt } : extend(held, { period, changedAt })
    await updateLease(tx.db, lease)
    return { what: `@${lease.name} until ${toDay(lease.expiresAt)}`, afterCommit }
  }

/**
 * Adds the period to the old expiry, not to the current time: in the grace period the name belonged to its owner, too. A long grace period stays long
 * after a short extension. The owner stays the same: anyone may have made the offer that the owner pays.
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
