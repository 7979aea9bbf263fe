import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { POS, POS_DAY, POS_WITH_LINK } from '../answers.ts'

const { text, bool, list, record, orNull, integer, optional } = answer
const PRICE = answer.oneOf(text, answer.number)
const BODY = record({
  title: optional(text),
  currency: optional(text),
  address: optional(text),
  items: optional(list(record({ title: text, price: PRICE }))),
  tips: optional(list(integer)),
  time_zone: optional(text),
  pin_required: optional(bool),
  pin: optional(orNull(text)),
  paused: optional(bool),
})
const EXAMPLE = {
  title: 'Counter',
  currency: 'EUR',
  address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
  items: [{ title: 'Espresso', price: '2.20' }],
  tips: [5, 10],
  time_zone: 'Europe/Berlin',
  pin: '4711',
}
const place = { tag: 'pos', who: 'account' } as const

export const describedPosRoutes: readonly Described[] = [
  {
    ...place,
    method: 'get',
    path: '/api/pos',
    id: 'listPointsOfSale',
    summary: 'Points of sale of the account, newest first.',
    query: [
      { name: 'limit', schema: integer, description: 'Up to 100; 25 by default.' },
      { name: 'cursor', schema: text, description: '`next_cursor` of the previous page.' },
    ],
    answer: record({ points_of_sale: list(POS), next_cursor: orNull(text) }),
  },
  {
    ...place,
    method: 'post',
    path: '/api/pos',
    id: 'createPointOfSale',
    summary: 'Create a point of sale; cashiers open `link`.',
    body: { schema: BODY, example: EXAMPLE },
    status: 201,
    answer: POS_WITH_LINK,
    refuses: [403, 409],
  },
  {
    ...place,
    method: 'get',
    path: '/api/pos/{id}',
    id: 'getPointOfSale',
    summary: 'One point of sale. Its link is shown only when it is created or rotated.',
    answer: POS,
  },
  {
    ...place,
    method: 'put',
    path: '/api/pos/{id}',
    id: 'changePointOfSale',
    summary:
      'Change the fields in the body. A new `pin` resets failed attempts; `pin_required: false` removes the PIN. The currency cannot change.',
    body: { schema: BODY, example: { paused: true } },
    answer: POS,
  },
  {
    ...place,
    method: 'post',
    path: '/api/pos/{id}/rotate',
    id: 'rotatePointOfSale',
    summary: 'Create a new link; the old one stops working.',
    answer: POS_WITH_LINK,
  },
  {
    ...place,
    method: 'get',
    path: '/api/pos/{id}/day',
    id: 'getPointOfSaleDay',
    summary: 'Sales of a day, in the time zone of the point of sale.',
    query: [{ name: 'date', schema: text, description: 'Such as 2027-01-31; by default today.' }],
    answer: POS_DAY,
  },
  {
    ...place,
    method: 'delete',
    path: '/api/pos/{id}',
    id: 'deletePointOfSale',
    summary: 'Delete a point of sale. Open sales can still be paid.',
    answer: record({ success: bool, deleted: bool, id: text }),
  },
]
