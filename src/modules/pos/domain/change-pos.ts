import { inTx } from '../../../kernel/in-tx.ts'
import type { Own } from '../../../kernel/resource/records.ts'
import type { ChangedOwn } from '../../../kernel/resource/routes.ts'
import { insertAudit } from '../../accounts/index.ts'
import { requirePayout } from '../../checkout/index.ts'
import { posNotFound } from '../errors.ts'
import { forgetAllTries } from '../pins-store.ts'
import { type PointOfSale, type PosValues, pinOf, tills } from '../point-of-sale.ts'
import type { PosContext } from '../context.ts'
import { markPin, newToken } from './make-pos.ts'

export async function getPos({ checkouts: { db } }: PosContext, own: Own): Promise<PointOfSale> {
  const pos = await tills.findOwn(db, own)
  if (!pos) throw posNotFound()
  return pos
}

/** Changes the settings; existing sales stay as they are. */
export function changePos(
  context: PosContext,
  own: ChangedOwn,
  said: (held: PointOfSale) => Partial<PosValues>,
): Promise<PointOfSale> {
  return change(context, own, 'pos.changed', (held) => {
    const { pin: asked, pinRequired, ...terms } = said(held)
    const pin = pinOf({ pin: asked, pinRequired })
    const changed = { ...held, ...terms, timeZone: terms.timeZone || held.timeZone }
    if (pin === undefined) return { changed, isNew: false }
    const pinMark = pin === null ? null : markPin(context, held.id, pin)
    return { changed: { ...changed, wrongPins: 0, pinMark }, isNew: true }
  })
}

/** Makes a new link. The old one stops working, and everyone who entered through it is signed out. */
export function rotateLink(context: PosContext, own: ChangedOwn): Promise<PointOfSale> {
  return change(context, own, 'pos.rotated', (held) => ({
    changed: { ...held, ...newToken(context, held.id), wrongPins: 0 },
    isNew: true,
  }))
}

async function change(
  { checkouts: ctx }: PosContext,
  own: ChangedOwn,
  what: string,
  how: (held: PointOfSale) => { changed: PointOfSale; /** Whether to clear all attempts at PINs. */ isNew: boolean },
): Promise<PointOfSale> {
  return inTx(ctx, async (tx) => {
    const held = await tills.lock(tx.db, own)
    if (!held) throw posNotFound()
    const { changed, isNew } = how({ ...held, updatedAt: tx.clock.now() })
    if (changed.address === null) await requirePayout({ ...ctx, db: tx.db }, own.owner)
    await tills.update(tx.db, changed)
    if (isNew) await forgetAllTries(tx.db, held.id)
    await insertAudit(tx, { actor: own.actor, accountId: own.owner, what, detail: { id: own.id } })
    return changed
  })
}

/** Deletes a point of sale. Its open sales can still be paid, and stay in the list of checkouts. */
export async function deletePos({ checkouts: ctx }: PosContext, { id, owner, actor }: ChangedOwn): Promise<void> {
  await inTx(ctx, async (tx) => {
    if (!(await tills.remove(tx.db, { id, owner, now: tx.clock.now() }))) throw posNotFound()
    await forgetAllTries(tx.db, id)
    await insertAudit(tx, { actor, accountId: owner, what: 'pos.deleted', detail: { id } })
  })
}
