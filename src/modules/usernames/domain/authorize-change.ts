import { type Actor, actorOf } from '../../../kernel/actor.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { toCanonicalJson, toNameChangeMessage } from '../../../kernel/name-change.ts'
import { fromAddress } from '../../../kernel/nano/address.ts'
import { verifyText } from '../../../kernel/nano/keys.ts'
import { insertAudit } from '../../accounts/index.ts'
import { lockOrder, updateDetail } from '../../billing/index.ts'
import { getCheckout, toCheckoutId } from '../../checkout/index.ts'
import type { NameLease } from '../../names/index.ts'
import { noSuchOffer, notTheOwner, nothingToChange, offerFixed } from '../errors.ts'
import { type Authorization, type ChangeDetail, NAME_UPDATE, type NameChanges } from './change-name.ts'
import { type ChangeOffer, findLeased } from './offer-change.ts'
import type { UsernameRoom } from '../room.ts'

interface Word {
  name: string
  /** Of the offer. */
  id: string
  /** Null is what was asked for when the offer was made. */
  changes: NameChanges | null
  accountId: string | null
  /** Who says it, of an account; without one it is the owner of the name by their signature. */
  actor: Actor | undefined
  signature: string | undefined
}

/**
 * Says that an offered change may happen, by the key of the account that leases the name or by the owner's signature. A
 * paid one happens at once, in the same transaction; one that is not paid yet when it is. Said twice it is said once.
 */
export async function authorizeChange(
  { checkouts, resumeOrder }: UsernameRoom,
  { name, id: given, changes, accountId, actor, signature }: Word,
): Promise<ChangeOffer> {
  const id = toCheckoutId(given)
  if (id === undefined) throw noSuchOffer()
  const { names, ports } = checkouts
  const { told, ...offer } = await inTx(checkouts, async (tx) => {
    const order = await lockOrder(tx.db, id)
    const { key, lease } = await findLeased({ ...tx, names }, name)
    if (order?.kind !== NAME_UPDATE || order.subject !== key) throw noSuchOffer()
    const detail = order.detail as unknown as ChangeDetail
    const meant = changes ?? detail.changes
    if (!meant) throw nothingToChange()
    const toSign = toNameChangeMessage({ name: key, id, changes: meant })
    const authorized = judge(lease, { accountId, signature, toSign })
    if (!authorized) throw notTheOwner(toSign)
    // A reader of an older signature must not bring back what it was for.
    if (detail.authorized && toCanonicalJson(detail.changes) !== toCanonicalJson(meant)) throw offerFixed()
    await updateDetail(tx.db, id, { ...detail, changes: meant, authorized })
    await insertAudit(tx, {
      actor: actor ?? actorOf.payer(lease.owner),
      accountId,
      what: 'name.change_authorized',
      detail: { name: key, checkoutId: id, by: 'owner' in authorized ? 'signature' : 'key' },
    })
    return { lease, changes: meant, toSign, told: await resumeOrder(tx, id) }
  })
  told()
  ports.tell(id)
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
