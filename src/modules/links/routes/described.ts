import { answer } from '../../../kernel/answers.ts'
import { type Described, bodyOfAction } from '../../../kernel/described.ts'
import { paymentLink } from '../actions/payment-link.ts'
import { LINK } from '../answers.ts'
import { describedSubscriptionRoutes } from '../subscriptions/described.ts'

const { text, bool, list, record, orNull, integer } = answer

export const describedLinkRoutes: readonly Described[] = [
  {
    method: 'get',
    path: '/api/links',
    id: 'listLinks',
    tag: 'links',
    summary: 'Payment links of the account, newest first.',
    who: 'account',
    query: [
      { name: 'limit', schema: integer, description: 'Up to 100; 25 by default.' },
      { name: 'cursor', schema: text, description: '`next_cursor` of the previous page.' },
    ],
    answer: record({ links: list(LINK), next_cursor: orNull(text) }),
  },
  {
    method: 'post',
    path: '/api/links',
    id: 'createLink',
    tag: 'links',
    summary: 'Create a payment link; the body has the fields of the action `payment_link`.',
    who: 'account',
    body: bodyOfAction(paymentLink, 'id'),
    status: 201,
    answer: LINK,
    refuses: [403, 409],
  },
  {
    method: 'get',
    path: '/api/links/{id}',
    id: 'getLink',
    tag: 'links',
    summary: 'One payment link and its sales.',
    who: 'account',
    answer: LINK,
  },
  {
    method: 'put',
    path: '/api/links/{id}',
    id: 'changeLink',
    tag: 'links',
    summary: 'Change the fields in the body; `paused` pauses and resumes it. Slug and currency cannot change.',
    who: 'account',
    body: { ...bodyOfAction(paymentLink, 'id', 'template', 'line_items', 'shipping'), example: { paused: true } },
    answer: LINK,
    refuses: [403],
  },
  {
    method: 'delete',
    path: '/api/links/{id}',
    id: 'deleteLink',
    tag: 'links',
    summary: 'Delete a payment link. Its open checkouts can still be paid.',
    who: 'account',
    answer: record({ success: bool, deleted: bool, id: text }),
  },
  ...describedSubscriptionRoutes,
]
