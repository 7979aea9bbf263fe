import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { CLAIMED_SHARE, EMAIL_CHECK, LISTED_EMAIL_PAYMENT, OWN_EMAIL_PAYMENT } from '../answers.ts'

const { text, bool, integer, optional, orNull, list, record, words } = answer

export const describedEmailRoutes: readonly Described[] = [
  {
    method: 'get',
    path: '/api/emails',
    id: 'listEmailPayments',
    tag: 'email',
    summary: 'Email payments of the account, newest first.',
    who: 'account',
    query: [
      { name: 'limit', schema: integer, description: 'How many at most: 1 to 100, 25 by default.' },
      { name: 'cursor', schema: text, description: '`next_cursor` of the previous page.' },
      {
        name: 'status',
        schema: words('waiting', 'funded', 'completed', 'expired'),
        description: 'Only those with this status.',
      },
    ],
    answer: record({ payments: list(LISTED_EMAIL_PAYMENT), limit: integer, next_cursor: orNull(text) }),
  },
  {
    method: 'get',
    path: '/api/emails/{id}',
    id: 'getEmailPayment',
    tag: 'email',
    summary: 'An email payment and its recipients.',
    who: 'account',
    answer: record({ payment: OWN_EMAIL_PAYMENT }),
  },
  {
    method: 'delete',
    path: '/api/emails/{id}',
    id: 'cancelEmailPayment',
    tag: 'email',
    summary: 'Cancel an email payment; unclaimed shares go back.',
    who: 'account',
    answer: record({ success: bool, payment: LISTED_EMAIL_PAYMENT }),
    refuses: [409],
  },
  {
    method: 'get',
    path: '/email/{id}',
    id: 'getEmailPage',
    tag: 'email',
    summary: 'Where an email payment is funded: a page for browsers, otherwise the answer of the check.',
    who: 'anybody',
    answer: EMAIL_CHECK,
  },
  ...(['get', 'post'] as const).map((method): Described => ({
    method,
    path: '/email/{id}/check',
    id: method === 'get' ? 'checkEmailPayment' : 'checkEmailPaymentByPost',
    tag: 'email',
    summary: 'State of the funding of an email payment.',
    who: 'anybody',
    answer: EMAIL_CHECK,
  })),
  {
    method: 'post',
    path: '/claim',
    id: 'claimShare',
    tag: 'email',
    summary: 'Read a share by its code; with an `address`, claim it.',
    who: 'anybody',
    body: { schema: record({ code: text, address: optional(text) }), example: { code: 'code-of-the-mail' } },
    answer: CLAIMED_SHARE,
    refuses: [403, 404, 409, 503],
  },
  {
    method: 'post',
    path: '/claim/decline',
    id: 'declineShare',
    tag: 'email',
    summary: 'Decline a share, and receive no more email from this service.',
    who: 'anybody',
    body: { schema: record({ code: text }), example: { code: 'code-of-the-mail' } },
    answer: record({ status: words('refunded') }),
    refuses: [403, 404, 409, 503],
  },
]
