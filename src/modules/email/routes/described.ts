import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { CLAIMED_SHARE, EMAIL_CHECK } from '../answers.ts'

const { text, optional, record, words } = answer

/** What payers and recipients request without a key. */
export const describedClaimRoutes: readonly Described[] = [
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
