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
      { name: 'limit', schema: integer, description: 'Up to 100; 25 unless told.' },
      { name: 'cursor', schema: text, description: '`next_cursor` of the page before.' },
    ],
    answer: record({ points_of_sale: list(POS), next_cursor: orNull(text) }),
  },
  {
    ...place,
    method: 'post',
    path: '/api/pos',
    id: 'createPointOfSale',
    summary: 'A new point of sale; `link` is what its cashiers open.',
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
    summary: 'One point of sale. Its link is told when it is made, and when it is rotated.',
    answer: POS,
  },
  {
    ...place,
    method: 'put',
    path: '/api/pos/{id}',
    id: 'changePointOfSale',
    summary:
      'Change what stands in the body. A new `pin` lets everybody try anew; `pin_required: false` takes it away. The currency stays.',
    body: { schema: BODY, example: { paused: true } },
    answer: POS,
  },
  {
    ...place,
    method: 'post',
    path: '/api/pos/{id}/rotate',
    id: 'rotatePointOfSale',
    summary: 'A new link; the old one opens nothing any more.',
    answer: POS_WITH_LINK,
  },
  {
    ...place,
    method: 'get',
    path: '/api/pos/{id}/day',
    id: 'getPointOfSaleDay',
    summary: 'What was sold on a day, by the clock of its time zone.',
    query: [{ name: 'date', schema: text, description: 'Such as 2027-01-31; today unless told.' }],
    answer: POS_DAY,
  },
  {
    ...place,
    method: 'delete',
    path: '/api/pos/{id}',
    id: 'deletePointOfSale',
    summary: 'Take a point of sale away. Open sales can still be paid.',
    answer: record({ success: bool, deleted: bool, id: text }),
  },
]
