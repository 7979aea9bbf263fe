import { type Actor, actorOf } from '../../../kernel/actor.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { toCanonicalJson, toNameChangeMessage } from '../../../kernel/name-change.ts'
import { fromAddress } from '../../../kernel/nano/address.ts'
import { verifyText } from '../../../kernel/nano/keys.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { insertAudit } from '../../accounts/index.ts'
import { type Fulfil, lockOrder, openOrder, updateDetail } from '../../billing/index.ts'
import { type Checkout, getCheckout, toCheckoutId } from '../../checkout/index.ts'
import { type NameLease, lockLease, statusAt, updateProfile } from '../../names/index.ts'
import { nameInGrace, nameNotLeased, noSuchOffer, notTheOwner, nothingToChange, offerFixed } from '../errors.ts'
import type { UsernameContext } from '../context.ts'
import { findName } from './find-name.ts'

/** An offer to change a name, which can be paid. */
interface ChangeOffer {
  lease: NameLease
  checkout: Checkout
  changes: NameChanges | null
  /** Whether the owner has approved it. */
  isAuthorized: boolean
  /** The text that the owner signs as approval, once the change is known. */
  toSign: string | undefined
}

/** Offers to change a name. The change, and the owner's approval, can be given now or later. */
export async function offerChange(
  context: UsernameContext,
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
  const { key, lease } = await findLeased(context.checkouts, name)
  const isOwn = accountId !== null && lease.accountId === accountId
  const authorized = isOwn && changes ? { accountId } : null
  const detail: ChangeDetail = { name: lease.name, changes, authorized }
  const checkout = await openOrder(context, payer, {
    kind: NAME_UPDATE,
    subject: key,
    accountId,
    detail: { ...detail },
    title: `Change of @${lease.name}`,
    description: describe(lease, changes, authorized !== null),
    plans: [{ title: 'Change', price: context.nameUpdatePrice }],
    back,
    idempotency,
  })
  const toSign = changes ? toNameChangeMessage({ name: key, id: checkout.id, changes }) : undefined
  return { lease, checkout, changes, isAuthorized: authorized !== null, toSign }
}

/** A payer who gets the link sees where the name would lead, and that payment alone does not change it. */
function describe({ name, owner }: NameLease, changes: NameChanges | null, isAuthorized: boolean): string {
  const leads = changes?.address === undefined ? '' : `@${name} would point to ${changes.address}. `
  const when = isAuthorized
    ? 'The change is made when it is paid.'
    : `The change is made once ${owner}, which owns the name, has signed it, or the account that leases it has approved it. Without either the fee is sent back after 24 hours.`
  return `${leads}This is a fee; paying it gives you no rights to the name. ${when}`
}

/** The current lease of a name, or an error that says why there is none to change. */
async function findLeased(
  ctx: Parameters<typeof findName>[0],
  name: string,
): Promise<{ key: string; lease: NameLease }> {
  const { key, status, lease } = await findName(ctx, name)
  if (status === 'grace') throw nameInGrace()
  if (!lease) throw nameNotLeased()
  return { key, lease }
}

interface Word {
  name: string
  /** The id of the offer. */
  id: string
  /** Null for the change that the offer was made with. */
  changes: NameChanges | null
  accountId: string | null
  /** The actor of an account's approval; undefined when the owner of the name approves by signature. */
  actor: Actor | undefined
  signature: string | undefined
}

/**
 * Approves an offered change, by a key of the account that leases the name or by the owner's signature. If it is paid already, it happens at once
 * in the same transaction; otherwise when it is paid. Safe to repeat.
 */
export async function authorizeChange(
  { checkouts, resumeOrder }: UsernameContext,
  { name, id: given, changes, accountId, actor, signature }: Word,
): Promise<ChangeOffer> {
  const id = toCheckoutId(given)
  if (id === undefined) throw noSuchOffer()
  const { names, ports } = checkouts
  const { afterCommit, ...offer } = await inTx(checkouts, async (tx) => {
    const order = await lockOrder(tx.db, id)
    const { key, lease } = await findLeased({ ...tx, names }, name)
    if (order?.kind !== NAME_UPDATE || order.subject !== key) throw noSuchOffer()
    const detail = order.detail as unknown as ChangeDetail
    const meant = changes ?? detail.changes
    if (!meant) throw nothingToChange()
    const toSign = toNameChangeMessage({ name: key, id, changes: meant })
    const authorized = judge(lease, { accountId, signature, toSign })
    if (!authorized) throw notTheOwner(toSign)
    // Otherwise someone who has an older signature of the owner could bring back the change that this signature was for.
    if (detail.authorized && toCanonicalJson(detail.changes) !== toCanonicalJson(meant)) throw offerFixed()
    await updateDetail(tx.db, id, { ...detail, changes: meant, authorized })
    await insertAudit(tx, {
      actor: actor ?? actorOf.payer(lease.owner),
      accountId,
      what: 'name.change_authorized',
      detail: { name: key, checkoutId: id, by: 'owner' in authorized ? 'signature' : 'key' },
    })
    return { lease, changes: meant, toSign, afterCommit: await resumeOrder(tx, id) }
  })
  afterCommit()
  ports.announce(id)
  return { ...offer, checkout: await getCheckout(checkouts, id), isAuthorized: true }
}

function judge(
  lease: NameLease,
  { accountId, signature, toSign }: Pick<Word, 'accountId' | 'signature'> & { toSign: string },
): Authorization | undefined {
  if (accountId !== null && lease.accountId === accountId) return { accountId }
  if (signature === undefined) return undefined
  return verifyText(fromAddress(lease.owner)!, toSign, signature) ? { owner: lease.owner } : undefined
}

export const NAME_UPDATE = 'name_update'

/** The change; `remove` names members of the profile to delete. */
export type NameChanges = JsonObject & { address?: string; remove?: string[] }

/** Who has approved: the account that leases the name, or the address that owns it. */
type Authorization = { accountId: string } | { owner: string }

/** The details of an order. Anyone may request and pay a change; neither approves it. */
interface ChangeDetail {
  name: string
  changes: NameChanges | null
  authorized: Authorization | null
}

/** Whether the approval is still valid: the name may have another owner since. */
const isGood = (authorized: Authorization, { accountId, owner }: NameLease) =>
  'owner' in authorized ? authorized.owner === owner : accountId !== null && authorized.accountId === accountId

/**
 * Handles a paid change of a name. The payment itself gives no right to the name: otherwise someone could take a name by making its owner pay a
 * certain amount. The change happens once the owner has approved it; until then the money waits.
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
    return { what: `@${held.name} changed`, afterCommit: () => onChange(key) }
  }

function merge(profile: JsonObject, changes: JsonObject, remove: readonly string[]): JsonObject {
  const merged = Object.entries({ ...profile, ...changes })
  return Object.fromEntries(merged.filter(([name]) => !remove.includes(name)))
}
