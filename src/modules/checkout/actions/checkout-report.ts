import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { input, optional } from '../../../kernel/fields.ts'
import { form, freeField } from '../../../kernel/free-field.ts'
import { BY_ADDITIONAL, REVENUE } from '../answers.ts'
import { OWN_CHECKOUT } from '../views.ts'
import type { CheckoutContext } from '../context.ts'
import { reportCheckouts } from '../domain/report.ts'
import { keyRequired } from '../errors.ts'

const free = (...field: Parameters<typeof freeField>) => optional(freeField(...field))

export const checkoutReport = action({
  name: 'checkout_report',
  summary: 'Totals of the checkouts made with this key, or with keys it replaced.',
  input: input({
    query: free(
      form.text,
      'A period: `last 30 days`, `past 12 hours`, `today`, `yesterday`, `this` or `last` `week`, `month` or `year`.',
      'today',
    ),
    status: free(form.text, 'Only checkouts with this status; `paid` means `complete`.', 'complete'),
    additional_status: free(form.text, 'Only checkouts with this one, such as `refunded`.', 'partly_refunded'),
    from: free(form.moment, 'A date or unix seconds; overrides the period.'),
    to: free(form.moment, 'The same for the end: a date means the end of that day, a moment is not included.'),
    metadata_filter: free(form.object, 'Members that the metadata must have.', { order: 'A-1' }),
    metadata_key: free(form.text, 'One such member; with `metadata_value`.'),
    metadata_value: free(form.oneOf(form.amount, answer.bool), 'What it must be.'),
    limit: free(form.amount, 'How many checkouts at most, up to 1000.', 100),
  }),
  example: {
    request: { query: 'last 30 days' },
    response: {
      period: { query: 'last 30 days', from: '2026-10-16T00:00:00.000Z', to: '2026-11-15T00:00:00.001Z' },
      summary: {
        total: 1,
        by_status: { pending: 0, detected: 0, partial: 0, complete: 1, expired: 0, cancelled: 0 },
      },
      revenue: {
        NANO: {
          count: 1,
          amount: '1.503241',
          amount_raw: '1503241000000000000000000000000',
          gross: '1.503241',
          refunded: '0.5',
          refunded_raw: '500000000000000000000000000000',
          net: '1.003241',
          net_raw: '1003241000000000000000000000000',
        },
      },
      excluded: 0,
      checkouts: [],
      limit: 100,
      has_more: false,
    },
  },
  output: answer.record({
    period: answer.record({
      query: answer.orNull(answer.text),
      from: answer.orNull(answer.text),
      to: answer.orNull(answer.text),
    }),
    summary: answer.record({
      total: answer.integer,
      by_status: answer.map(answer.integer),
      by_additional_status: answer.optional(BY_ADDITIONAL),
    }),
    revenue: REVENUE,
    excluded: answer.integer,
    checkouts: answer.list(OWN_CHECKOUT),
    limit: answer.integer,
    has_more: answer.bool,
  }),
  errors: {
    invalid_request: 'A filter is invalid; `field` says which.',
  },
  auth: 'secret-key',
  scope: 'reports',
  async run({ caller }, fields, context: CheckoutContext) {
    if (caller.kind !== 'account' || caller.keyId === undefined) throw keyRequired('checkout_report')
    const { accountId, keyId } = caller
    return reportCheckouts(context, { accountId, keyId }, fields)
  },
})
