import type { Idempotency } from '../../../kernel/idempotency.ts'
import { toNameChangeMessage } from '../../../kernel/name-change.ts'
import { openOrder } from '../../billing/index.ts'
import type { Checkout } from '../../checkout/index.ts'
import type { NameLease } from '../../names/index.ts'
import { nameInGrace, nameNotLeased } from '../errors.ts'
import { type ChangeDetail, NAME_UPDATE, type NameChanges } from './change-name.ts'
import { findName } from './find-name.ts'
import type { UsernameRoom } from '../room.ts'

/** A change of a name that can be paid. */
export interface ChangeOffer {
  lease: NameLease
  checkout: Checkout
  changes: NameChanges | null
  /** Whether its owner has said so. */
  isAuthorized: boolean
  /** What the owner signs to say so, where it is known what is to change. */
  toSign: string | undefined
}

/** Offers a change of a name. What is to change may be said now or later, and so may whether it may happen. */
export async function offerChange(
  room: UsernameRoom,
  payer: string,
  {
    name,
    changes,
    accountId,
    back,
    idempotency,
  }: {
    name: string
    changes: NameChanges | null
    accountId: string | null
    back?: string
    idempotency?: Idempotency | undefined
  },
): Promise<ChangeOffer> {
  const { key, lease } = await findLeased(room.checkouts, name)
  const isOwn = accountId !== null && lease.accountId === accountId
  const authorized = isOwn && changes ? { accountId } : null
  const detail: ChangeDetail = { name: lease.name, changes, authorized }
  const checkout = await openOrder(room, payer, {
    kind: NAME_UPDATE,
    subject: key,
    accountId,
    detail: { ...detail },
    title: `Change of @${lease.name}`,
    description: describe(lease, changes, authorized !== null),
    plans: [{ title: 'Change', price: room.nameUpdatePrice }],
    back,
    idempotency,
  })
  const toSign = changes ? toNameChangeMessage({ name: key, id: checkout.id, changes }) : undefined
  return { lease, checkout, changes, isAuthorized: authorized !== null, toSign }
}

/** A payer who is given the link sees where the name would lead, and that paying does not make it so. */
function describe({ name, owner }: NameLease, changes: NameChanges | null, isAuthorized: boolean): string {
  const leads = changes?.address === undefined ? '' : `@${name} would point to ${changes.address}. `
  const when = isAuthorized
    ? 'The change is made when it is paid.'
    : `The change is made once ${owner}, which owns the name, has signed it, or the account that leases it has approved it. Without either the fee is sent back after 24 hours.`
  return `${leads}This is a fee; paying it gives you no rights to the name. ${when}`
}

/** A name that is leased at this moment, or why there is nothing to change. */
export async function findLeased(
  ctx: Parameters<typeof findName>[0],
  name: string,
): Promise<{ key: string; lease: NameLease }> {
  const { key, status, lease } = await findName(ctx, name)
  if (status === 'grace') throw nameInGrace()
  if (!lease) throw nameNotLeased()
  return { key, lease }
}
