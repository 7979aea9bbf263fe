import type { Idempotency } from '../../../kernel/idempotency.ts'
import { openOrder } from '../../billing/index.ts'
import type { Checkout } from '../../checkout/index.ts'
import type { NameLease } from '../../names/index.ts'
import { type FoundName, findName } from './find-name.ts'
import { NAME, type NameDetail } from './lease-name.ts'
import type { UsernameRoom } from '../room.ts'

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
