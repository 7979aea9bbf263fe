import { answer } from '../../../kernel/answers.ts'
import { show, shownSchema } from '../../../kernel/resource/resource.ts'
import { type ApiRoute, crud, describedOf, ownOf, routesOf } from '../../../kernel/resource/routes.ts'
import type { Fields } from '../../../kernel/route.ts'
import { textOf } from '../../../kernel/shape.ts'
import { checkoutAction } from '../../checkout/index.ts'
import { resolveNames } from '../../names/index.ts'
import { changePos, deletePos, getPos, rotateLink } from '../domain/change-pos.ts'
import { readDay } from '../domain/day.ts'
import { linkOf, makePos } from '../domain/make-pos.ts'
import { type PointOfSale, pointOfSale, tills } from '../point-of-sale.ts'
import type { PosContext } from '../context.ts'
import { showDay } from '../shape.ts'

const { text, integer, list, record, orNull, unix, nano, url } = answer
const place = { tag: pointOfSale.tag, scope: pointOfSale.scope, who: 'account' } as const

/** The link admits cashiers. Only creating and rotating return it, because a key that may only read must not be able to sell. */
const LINK = { link: url }
const withLink = (context: PosContext, pos: PointOfSale) => ({
  ...show(pointOfSale, context, pos),
  link: linkOf(context, pos),
})

const routes: readonly ApiRoute<PosContext>[] = [
  ...crud(pointOfSale, {
    words: {
      list: ['listPointsOfSale', 'Points of sale of the account, newest first.'],
      create: ['createPointOfSale', 'Create a point of sale; cashiers open `link`.'],
      get: ['getPointOfSale', 'One point of sale. Its link is shown only when it is created or rotated.'],
      change: [
        'changePointOfSale',
        'Change the fields in the body. A new `pin` resets failed attempts; `pin_required: false` removes the PIN. The currency cannot change.',
      ],
      delete: ['deletePointOfSale', 'Delete a point of sale. Open sales can still be paid.'],
    },
    // The payment address can be changed here, so the caller must have confirmed their identity.
    proof: { change: { proof: true } },
    once: 'pos.create',
    refuses: [403, 409],
    changeExample: { paused: true },
    secret: LINK,
    prepare: withAddress,
    list: ({ checkouts: { db } }, page) => tills.list(db, page),
    get: getPos,
    // The stored answer of a repeated request contains no secret.
    create: async (context, by, values, idempotency) => ({ id: (await makePos(context, by, values, idempotency)).id }),
    created: async (context, owner, { id }) => withLink(context, await getPos(context, { id: textOf(id), owner })),
    change: changePos,
    remove: deletePos,
  }),
  {
    ...place,
    method: 'post',
    path: '/api/pos/{id}/rotate',
    id: 'rotatePointOfSale',
    summary: 'Create a new link; the old one stops working.',
    proof: true,
    answer: shownSchema(pointOfSale, LINK),
    run: async (context, request) => ({ json: withLink(context, await rotateLink(context, ownOf(request))) }),
  },
  {
    ...place,
    method: 'get',
    path: '/api/pos/{id}/day',
    id: 'getPointOfSaleDay',
    summary: 'Sales of a day, in the time zone of the point of sale.',
    query: [{ name: 'date', schema: text, description: 'Such as 2027-01-31; by default today.' }],
    answer: record({
      ...{ date: text, time_zone: text, currency: text, count: integer, total: text, tips: text },
      ...{ nano, refunded: text, refunded_nano: nano },
      sales: list(
        record({
          ...{ id: text, status: text, additional_status: text, total: text, tip: text, nano },
          ...{ created_unix: unix, paid_unix: orNull(unix) },
        }),
      ),
    }),
    async run(context, request) {
      const pos = await getPos(context, ownOf(request))
      const { date } = request.query
      const wanted = typeof date === 'string' && date !== '' ? date : undefined
      return { json: showDay(pos, await readDay(context, pos, wanted)) }
    },
  },
]

/** Points of sale under `/api/pos`. */
export const posRoutes = (context: PosContext) => routesOf(routes, context)
export const describedPosRoutes = describedOf(routes)

/** Resolves usernames in the fields for addresses. */
export async function withAddress({ checkouts }: PosContext, fields: Fields): Promise<Fields> {
  if (fields.address === undefined) return fields
  const { params } = await resolveNames(checkouts.names, { address: fields.address }, checkoutAction)
  return { ...fields, ...params }
}
