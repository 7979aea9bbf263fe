import type { Idempotency } from '../../../kernel/idempotency.ts'
import type { Raw } from '../../../kernel/money.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { giveBackFree, takeFree } from '../../accounts/index.ts'
import { type Checkout, getCheckout, openSale } from '../../checkout/index.ts'
import { tooManyOffers } from '../errors.ts'
import { insertOrder } from '../store.ts'
import type { OfferRoom } from '../room.ts'

const DAY = 24 * 3_600_000

export interface NewOrder {
  kind: string
  subject: string
  accountId: string | null
  detail: JsonObject
  title: string
  description: string
  plans: readonly { title: string; price: Raw }[]
  /** Where its buyer goes on once it is paid: a path of our own pages, with `{{id}}` for the checkout's. */
  back?: string | undefined
  idempotency?: Idempotency | undefined
}

/** Offers something of the service's own for sale: a checkout, and what it sells, in one transaction. */
export async function openOrder(
  room: OfferRoom,
  payer: string,
  { kind, subject, accountId, detail, back, idempotency, ...sale }: NewOrder,
): Promise<Checkout> {
  const made = idempotency?.made as { id: string } | undefined
  if (made) return getCheckout(room.checkouts, made.id)
  const counted = await countOffer(room, payer)
  try {
    return await openSale(room.checkouts, {
      ...sale,
      successUrl: back === undefined ? null : room.checkouts.ports.links.own(back),
      alongside: async ({ db }, { id: checkoutId, createdAt }) => {
        await insertOrder(db, { checkoutId, kind, subject, accountId, detail, createdAt })
        await idempotency?.record(db, { id: checkoutId })
      },
    })
  } catch (error) {
    const { db, failures } = room.checkouts
    if (counted) await giveBackFree(db, counted).catch(failures.lost('credits.free'))
    throw error
  }
}

/** An offer costs rows and amounts, and nothing to ask for. */
async function countOffer({ checkouts: { db, clock }, offersPerDayMax: max }: OfferRoom, payer: string) {
  if (max === 0) return undefined
  const now = clock.now()
  const use = await takeFree(db, { caller: payer, meter: 'offer', now }, { max, windowMilliseconds: DAY })
  if ('freeAt' in use) throw tooManyOffers(max, Math.max(1, Math.ceil((use.freeAt - now) / 1000)))
  return use.taken
}
