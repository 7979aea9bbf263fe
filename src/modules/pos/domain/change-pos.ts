import { type Actor } from '../../../kernel/actor.ts'
import { badField } from '../../../kernel/errors.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { insertAudit } from '../../accounts/index.ts'
import { posNotFound } from '../errors.ts'
import { forgetAllTries } from '../pins-store.ts'
import { readPin, readTerms, toBody } from '../pos-fields.ts'
import type { PosRoom } from '../room.ts'
import { type PointOfSale, findOwnPos, lockPos, markDeleted, updatePos } from '../store.ts'
import { markPin, newToken } from './make-pos.ts'

interface Own {
  id: string
  owner: string
}

type Body = Readonly<Record<string, unknown>>

/** Who does it for the owner. */
type Doing = Own & { actor: Actor }

export async function getPos({ checkouts: { db } }: PosRoom, own: Own): Promise<PointOfSale> {
  const pos = await findOwnPos(db, own)
  if (!pos) throw posNotFound()
  return pos
}

/** Changes what stands in the body; sales that were made stay as they are. */
export function changePos(room: PosRoom, own: Doing, body: Body): Promise<PointOfSale> {
  return change(room, own, 'pos.changed', (held) => {
    const terms = readTerms(room.checkouts, { ...toBody(held), ...body })
    // The sums of a day are in one currency.
    if (terms.currency !== held.currency) throw badField('currency', 'currency cannot be changed.')
    const pin = readPin(body, held.pinMark !== null)
    const changed = { ...held, ...terms }
    if (pin === undefined) return { changed, isAnew: false }
    const pinMark = pin === null ? null : markPin(room, held.id, pin)
    return { changed: { ...changed, wrongPins: 0, pinMark }, isAnew: true }
  })
}

/** A new link. The old one, and everybody who came in by it, is out from now on. */
export function rotateLink(room: PosRoom, own: Doing): Promise<PointOfSale> {
  return change(room, own, 'pos.rotated', (held) => ({
    changed: { ...held, ...newToken(room, held.id), wrongPins: 0 },
    isAnew: true,
  }))
}

async function change(
  { checkouts: ctx }: PosRoom,
  own: Doing,
  what: string,
  how: (held: PointOfSale) => { changed: PointOfSale; /** Whoever tried PINs begins anew. */ isAnew: boolean },
): Promise<PointOfSale> {
  return inTx(ctx, async (tx) => {
    const held = await lockPos(tx.db, own)
    if (!held) throw posNotFound()
    const { changed, isAnew } = how({ ...held, updatedAt: tx.clock.now() })
    await updatePos(tx.db, changed)
    if (isAnew) await forgetAllTries(tx.db, held.id)
    await insertAudit(tx, { actor: own.actor, accountId: own.owner, what, detail: { id: own.id } })
    return changed
  })
}

/** Takes one away. Sales that are open can be paid, and stay where checkouts are listed. */
export async function deletePos({ checkouts: ctx }: PosRoom, { id, owner, actor }: Doing): Promise<void> {
  await inTx(ctx, async (tx) => {
    if (!(await markDeleted(tx.db, { id, owner, now: tx.clock.now() }))) throw posNotFound()
    await forgetAllTries(tx.db, id)
    await insertAudit(tx, { actor, accountId: owner, what: 'pos.deleted', detail: { id } })
  })
}
