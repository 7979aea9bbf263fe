import { answer } from '../../../kernel/answers.ts'
import { type Described, bodyOfAction } from '../../../kernel/described.ts'
import { DELIVERY, EVENT_WITH_DELIVERIES } from '../../webhooks/index.ts'
import { checkoutRefund } from '../actions/checkout-refund.ts'
import { checkout as checkoutAction } from '../actions/checkout.ts'
import {
  CHECK,
  CHECKOUT_WALLET,
  MADE_CHECKOUT,
  MOMENT,
  OVERVIEW,
  OWN_CHECKOUT,
  PAYMENT,
  PROOF,
  RECORD,
  REFUND,
  STATS,
} from '../answers.ts'
import { ADDITIONAL_STATUSES, REFUND_MARKERS } from '../tables.ts'

const { text, bool, integer, optional, orNull, list, record, words } = answer

const CHANGED = record({ success: bool, checkout: OWN_CHECKOUT })
const REFUND_BODY = bodyOfAction(checkoutRefund, 'id')
const BODY = bodyOfAction(checkoutAction, 'public_key')
/** Its lifetime and the parts of its price can be set only when it is made. */
const CHANGE_BODY = bodyOfAction(checkoutAction, 'public_key', 'template', 'expire', 'line_items', 'shipping')

const shared = { tag: 'checkout', who: 'account' } as const

/** Checkouts of an account; the same under `/api/admin`, where administrators see all accounts. */
const ownRoutes = (path: string, suffix: string, whose: string): Described[] => [
  ...routesOfAll(path, suffix, whose),
  ...reportsOf(path, suffix),
  ...routesOfOne(`${path}/{id}`, suffix),
]

function routesOfAll(path: string, suffix: string, whose: string): Described[] {
  return [
    {
      ...shared,
      method: 'get',
      path,
      id: `listCheckouts${suffix}`,
      summary: `Checkouts ${whose}, newest first.`,
      query: [
        { name: 'limit', schema: integer, description: 'How many at most: 1 to 100, 25 by default.' },
        { name: 'offset', schema: integer, description: 'How many to skip.' },
        { name: 'cursor', schema: text, description: '`next_cursor` of the previous page; instead of `offset`.' },
        {
          name: 'status',
          schema: words(
            'pending',
            'detected',
            'partial',
            'complete',
            'expired',
            'cancelled',
            'paid',
            'all',
            ...REFUND_MARKERS,
          ),
          description: 'Only those with this status; `paid` means `complete`.',
        },
        {
          name: 'additional_status',
          schema: words(...ADDITIONAL_STATUSES, ...REFUND_MARKERS),
          description: 'Only those with this one.',
        },
      ],
      answer: record({
        checkouts: list(OWN_CHECKOUT),
        total: integer,
        limit: integer,
        offset: integer,
        next_cursor: orNull(text),
      }),
    },
    {
      ...shared,
      method: 'post',
      path,
      id: `createCheckout${suffix}`,
      summary: 'Create a checkout.',
      body: BODY,
      once: true,
      status: 201,
      answer: MADE_CHECKOUT,
      refuses: [403, 404, 409, 502, 503, 504],
    },
  ]
}

/** Reports about these checkouts. */
function reportsOf(path: string, suffix: string): Described[] {
  return [
    {
      ...shared,
      method: 'get',
      path: `${path}/stats`,
      id: `getCheckoutStats${suffix}`,
      summary: 'Totals of the account’s checkouts, and of each of the last 30 days.',
      answer: STATS,
    },
    {
      ...shared,
      method: 'get',
      path: `${path}/overview`,
      id: `getCheckoutOverview${suffix}`,
      summary: 'The same for all accounts.',
      who: 'administrator',
      answer: OVERVIEW,
    },
    {
      ...shared,
      method: 'get',
      path: `${path}/unmatched`,
      id: `listUnmatchedPayments${suffix}`,
      summary: 'Payments to an address of the account that match no checkout.',
      query: [
        { name: 'limit', schema: integer, description: 'How many at most: 1 to 100, 100 by default.' },
        { name: 'cursor', schema: text, description: '`next_cursor` of the previous page.' },
      ],
      answer: record({ payments: list(PAYMENT), total: integer, limit: integer, next_cursor: orNull(text) }),
    },
    {
      ...shared,
      method: 'get',
      path: `${path}/export.csv`,
      id: `exportPayments${suffix}`,
      summary: 'All payments and refunds as CSV.',
      type: 'text/csv',
      answer: text,
    },
    {
      ...shared,
      method: 'get',
      path: `${path}/statement.csv`,
      id: `exportStatement${suffix}`,
      summary: 'Sales, refunds and other payments of the account in a month, as CSV.',
      query: [
        { name: 'month', schema: text, description: 'Such as 2026-10; by default this month.' },
        {
          name: 'time_zone',
          schema: text,
          description: 'Time zone of the month, such as Europe/Berlin; UTC by default.',
        },
      ],
      type: 'text/csv',
      answer: text,
    },
  ]
}

function routesOfOne(path: string, suffix: string): Described[] {
  return [
    {
      ...shared,
      method: 'get',
      path,
      id: `getCheckout${suffix}`,
      summary: 'A checkout with its payments, events and history.',
      answer: record({
        checkout: OWN_CHECKOUT,
        payments: list(PAYMENT),
        webhook_events: list(EVENT_WITH_DELIVERIES),
        wallet: orNull(CHECKOUT_WALLET),
        timeline: list(MOMENT),
      }),
    },
    {
      ...shared,
      method: 'put',
      path,
      id: `updateCheckout${suffix}`,
      summary: 'Change a checkout: its texts until it is paid, its price until somebody has opened it.',
      body: { ...CHANGE_BODY, example: { title: 'Coffee' } },
      answer: CHANGED,
      refuses: [403, 409, 502, 504],
    },
    {
      ...shared,
      method: 'delete',
      path,
      id: `deleteCheckout${suffix}`,
      summary: 'Cancel an open checkout, or hide a finished one.',
      answer: record({ success: bool, deleted: bool, id: text }),
      refuses: [409],
    },
    {
      ...shared,
      method: 'post',
      path: `${path}/mark`,
      id: `markCheckoutPaid${suffix}`,
      summary: 'Mark a checkout as paid, by a block if there is one.',
      body: { schema: record({ block_hash: optional(answer.hash) }), example: {}, required: false },
      answer: CHANGED,
      refuses: [403, 409],
    },
    {
      ...shared,
      method: 'get',
      path: `${path}/refunds`,
      id: `listRefunds${suffix}`,
      summary: 'Refunds of a checkout, and how much can still be refunded.',
      answer: record({ refunds: list(REFUND), refundable: answer.nano, refundable_raw: answer.raw }),
    },
    {
      ...shared,
      method: 'post',
      path: `${path}/refunds`,
      id: `refundCheckout${suffix}`,
      summary: 'Refund what was paid, or a part of it.',
      once: true,
      status: 201,
      body: { ...REFUND_BODY, example: { amount: '0.5', reason: 'Sold out' }, required: false },
      answer: REFUND,
      refuses: [403, 409, 502, 503, 504],
    },
    {
      ...shared,
      method: 'post',
      path: `${path}/redeliver`,
      id: `redeliverCheckoutEvents${suffix}`,
      summary: 'Send the events of a checkout again.',
      once: true,
      answer: record({ success: bool, redelivered: integer, deliveries: list(DELIVERY) }),
    },
  ]
}

/** What payers and shops request with the id alone. `/confirm/{id}` and `/checkout/{id}/check` are aliases of `/check/{id}`. */
const payerRoutes: readonly Described[] = [
  ...(['get', 'post'] as const).flatMap((method): Described[] => [
    {
      method,
      path: '/check/{id}',
      query: [{ name: 'wait', schema: integer, description: 'Seconds to wait for a change, up to 60.' }],
      id: method === 'get' ? 'checkPayment' : 'checkPaymentByPost',
      tag: 'checkout',
      summary: 'State of a payment. Proof of payment is `status` `complete` and its `block`.',
      who: 'anybody',
      answer: CHECK,
    },
    {
      method,
      path: '/confirm/{id}',
      id: method === 'get' ? 'confirmPayment' : 'confirmPaymentByPost',
      tag: 'checkout',
      summary: 'Another name of `/check/{id}`.',
      who: 'anybody',
      answer: CHECK,
    },
    {
      method,
      path: '/checkout/{id}/check',
      id: method === 'get' ? 'checkCheckout' : 'checkCheckoutByPost',
      tag: 'checkout',
      summary: 'Another name of `/check/{id}`.',
      who: 'anybody',
      answer: CHECK,
    },
  ]),
  {
    method: 'get',
    path: '/checkout/{id}',
    id: 'getRecord',
    tag: 'checkout',
    summary: 'The public record of a checkout: what its page shows.',
    who: 'anybody',
    answer: RECORD,
  },
  {
    method: 'get',
    path: '/checkout/{id}/proof',
    id: 'getPaymentProof',
    tag: 'checkout',
    summary:
      'The proof that the network has confirmed the payment: its block and the votes of representatives. For `Accept: text/html` a page that verifies it.',
    who: 'anybody',
    query: [
      { name: 'block', schema: text, description: 'A payment of a checkout that was paid by several blocks.' },
      { name: 'json', schema: words('true', '1'), description: 'Returns the proof, whatever `Accept` says.' },
    ],
    answer: PROOF,
    refuses: [409],
  },
  {
    method: 'get',
    path: '/pay/{id}',
    id: 'getPaymentPage',
    tag: 'checkout',
    summary: 'The page of a checkout; for `Accept: application/json`, or with `json`, its record.',
    who: 'anybody',
    query: [
      { name: 'json', schema: words('true', '1'), description: 'Returns the record, whatever `Accept` says.' },
      { name: 'choice', schema: text, description: 'What this payer chose to pay, in raw.' },
    ],
    answer: RECORD,
    refuses: [503],
  },
  {
    method: 'get',
    path: '/pay/{id}/events',
    id: 'followPayment',
    tag: 'checkout',
    summary:
      'Server-sent events named `status`: the data of each is what `/check/{id}` answers. Ends with the payment.',
    who: 'anybody',
    type: 'text/event-stream',
    answer: text,
  },
  {
    method: 'post',
    path: '/pay/{id}/amount',
    id: 'chooseAmount',
    tag: 'checkout',
    summary: 'Set the amount, if the payer decides it.',
    who: 'anybody',
    body: { schema: record({ amount: answer.oneOf(text, answer.number) }), example: { amount: '1.5' } },
    answer: RECORD,
    refuses: [409, 503],
  },
  {
    method: 'post',
    path: '/pay/{id}/email',
    id: 'leaveEmail',
    tag: 'checkout',
    summary: 'Leave an email address for the receipt of a payment.',
    who: 'anybody',
    body: { schema: record({ email: text, lang: answer.optional(text) }), example: { email: 'ann@example.com' } },
    answer: record({ success: answer.bool }),
    refuses: [409],
  },
]

export const describedCheckoutRoutes: readonly Described[] = [
  ...ownRoutes('/api/checkouts', '', 'of the account'),
  ...ownRoutes('/api/admin/checkouts', 'AsAdmin', 'of all accounts for administrators, and of the account for others'),
  ...payerRoutes,
]
