import { type Actor } from '../../../kernel/actor.ts'
import { randomId } from '../../../kernel/api-key.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { textOf } from '../../../kernel/shape.ts'
import { findShop, insertAudit, lockAccount } from '../../accounts/index.ts'
import { POS_ID, requirePayout } from '../../checkout/index.ts'
import { posNotFound, tooManyPos } from '../errors.ts'
import { type PointOfSale, type PosValues, pinOf, tills } from '../point-of-sale.ts'
import type { PosContext } from '../context.ts'
import { tokenContext } from '../tables.ts'

const POS_MAX = 100
const TOKEN_LENGTH = 40

/** Makes a point of sale. A repeated request finds the same one. */
export async function makePos(
  context: PosContext,
  { owner, actor }: { owner: string; actor: Actor },
  { pin: asked, pinRequired, ...terms }: PosValues,
  idempotency?: Idempotency,
): Promise<PointOfSale> {
  const { checkouts: ctx } = context
  if (idempotency?.made) {
    const made = await tills.findOwn(ctx.db, { id: textOf(idempotency.made.id), owner })
    if (!made) throw posNotFound()
    return made
  }
  if (terms.address === null) await requirePayout(ctx, owner)
  const now = ctx.clock.now()
  const id = ctx.ids.next(POS_ID)
  const pin = pinOf({ pin: asked, pinRequired })
  const pos: PointOfSale = {
    id,
    owner,
    ...terms,
    timeZone: terms.timeZone || (await findShop(ctx.db, owner)).timeZone,
    ...newToken(context, id),
    pinMark: typeof pin === 'string' ? markPin(context, id, pin) : null,
    wrongPins: 0,
    createdAt: now,
    updatedAt: now,
  }
  return inTx(ctx, async (tx) => {
    // Locked, so that concurrent requests of an account cannot exceed the limit.
    await lockAccount(tx.db, owner)
    if ((await tills.count(tx.db, owner)) >= POS_MAX) throw tooManyPos(POS_MAX)
    await tills.insert(tx.db, pos)
    await insertAudit(tx, { actor, accountId: owner, what: 'pos.made', detail: { id, title: pos.title } })
    await idempotency?.record(tx.db, { id })
    return pos
  })
}

/** A new token for the link of a point of sale. */
export function newToken({ checkouts, secrets }: PosContext, id: string): Pick<PointOfSale, 'token' | 'tokenMark'> {
  const token = randomId(checkouts.random, TOKEN_LENGTH)
  return { token: secrets.encrypt(tokenContext(id), token), tokenMark: markToken({ secrets }, id, token) }
}

export const markToken = ({ secrets }: Pick<PosContext, 'secrets'>, id: string, token: string) =>
  secrets.fingerprint('pos token', `${id} ${token}`)

/** Keyed with the gateway's secret, because a PIN has so few digits that any other hash would reveal it. */
export const markPin = ({ secrets }: Pick<PosContext, 'secrets'>, id: string, pin: string) =>
  secrets.fingerprint('pos pin', `${id} ${pin}`)

/** The link that admits cashiers. Its token stands after the #, because browsers send that part of a URL to no server. */
export const linkOf = ({ secrets, urlOf }: PosContext, { id, token }: PointOfSale) =>
  `${urlOf(id)}#${secrets.open(tokenContext(id), token)}`
