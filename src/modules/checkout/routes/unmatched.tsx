import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { readCursor, toCursor } from '../../../kernel/paging.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { findBuyer } from '../buyers/store.ts'
import { markPaid } from '../domain/mark.ts'
import { badField, checkoutNotFound } from '../errors.ts'
import { type Suggestion, UnmatchedPage } from '../pages/unmatched-page.tsx'
import { priceOf } from '../pages/payment-words.ts'
import { type Payment, countUnmatched, listKeylessPaid, listUnmatched } from '../payments-store.ts'
import type { CheckoutContext } from '../context.ts'
import { askedRaw } from '../shape.ts'
import { findOwnCheckout, listAsked } from '../store.ts'
import { toCheckoutId } from '../wire-fields.ts'

const UNMATCHED_MAX = 100
const CANDIDATES_MAX = 200
/** How far an amount may be from what was asked: fees of exchanges, and typing errors at the end. */
const NEAR_PERCENT = 10n
const DAY = 86_400_000

/** Payments that fit no checkout, each with the one it was most likely meant for. */
export function unmatchedPages(ctx: CheckoutContext): readonly (Page | Form)[] {
  const { db } = ctx
  const unmatched = async ({ frame, accountId, query }: PageRequest, filled: FormState) => {
    const page = { owner: accountId, after: readCursor(query.cursor), limit: UNMATCHED_MAX + 1 }
    const found = await listUnmatched(db, page)
    const payments = found.slice(0, UNMATCHED_MAX)
    const { createdAt, blockHash: id } = payments.at(-1) ?? { createdAt: 0, blockHash: '' }
    const first = '/dashboard/checkouts/unmatched'
    const next = found.length > UNMATCHED_MAX ? `${first}?cursor=${toCursor({ createdAt, id })}` : undefined
    const hashes = payments.map(({ blockHash }) => blockHash)
    const keyless = await listKeylessPaid(db, hashes)
    const rows = []
    for (const payment of payments) {
      const suggestion = await suggest(ctx, accountId, payment)
      rows.push({ ...payment, keylessId: keyless.get(payment.blockHash), suggestion })
    }
    const pager = { first: query.cursor === undefined ? undefined : first, next }
    return <UnmatchedPage frame={frame} filled={filled} rows={rows} {...pager} />
  }
  const placed = {
    path: '/checkouts/unmatched',
    permission: 'checkout',
    done: { assigned: 'Payment assigned.' },
  } as const
  return [
    {
      ...placed,
      menu: {
        title: 'Unmatched',
        group: 'payments',
        order: 30,
        guide: 'first-payment',
        count: (owner) => countUnmatched(ctx.db, owner),
      },
      render: (request) => unmatched(request, EMPTY),
    },
    {
      ...placed,
      async run({ accountId: owner, caller: { actor } }, fields) {
        const id = toCheckoutId(fields.get('checkout'))
        if (id === undefined) throw checkoutNotFound({ field: 'checkout' })
        await markPaid(ctx, { id, owner, actor, blockHash: readHash(fields) })
        return { to: '/dashboard/checkouts/unmatched?done=assigned' }
      },
      again: (request, { values, error }) =>
        unmatched(request, { values, error: error && { ...error, field: error.field ?? 'checkout' } }),
    },
  ]
}

/** What was recorded with the payment, otherwise what was asked at its address lately for nearly as much. */
async function suggest({ db }: CheckoutContext, owner: string, payment: Payment): Promise<Suggestion | undefined> {
  // Our own clock, because a node may report another time for the block.
  const { checkoutId, address, amountRaw, createdAt: at } = payment
  const known = checkoutId === null ? undefined : await findOwnCheckout(db, { id: checkoutId, owner })
  const candidates = known
    ? [known]
    : await listAsked(db, { owner, address, from: at - 7 * DAY, to: at, limit: CANDIDATES_MAX })
  const [nearest] = candidates
    .flatMap((checkout) => {
      const asked = askedRaw(checkout)
      const off = asked === undefined ? undefined : asked > amountRaw ? asked - amountRaw : amountRaw - asked
      const isNear = known !== undefined || (asked !== undefined && off! * 100n <= asked * NEAR_PERCENT)
      return isNear && checkout.status !== 'complete' ? [{ checkout, off: off ?? 0n }] : []
    })
    .sort((one, other) =>
      one.off < other.off ? -1 : one.off > other.off ? 1 : other.checkout.createdAt - one.checkout.createdAt,
    )
  if (!nearest) return undefined
  const { checkout } = nearest
  const buyer = await findBuyer(db, checkout.id)
  return {
    id: checkout.id,
    title: checkout.title,
    who: buyer?.name ?? checkout.invoice?.buyer?.name ?? buyer?.email ?? null,
    price: priceOf(checkout),
    askedRaw: askedRaw(checkout),
    at: checkout.createdAt,
  }
}

export function readHash(fields: FormFields): string | undefined {
  const hash = fields.get('block_hash')
  if (hash === '') return undefined
  if (!/^[0-9a-f]{64}$/i.test(hash)) throw badField('block_hash', 'Invalid block hash', 'invalid_hash')
  return hash.toUpperCase()
}
