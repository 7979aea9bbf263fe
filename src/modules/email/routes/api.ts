import { AppError } from '../../../kernel/errors.ts'
import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { PAGES, type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import { listedPayment, ownPayment } from '../answers.ts'
import type { EmailContext } from '../context.ts'
import { cancelEmailPayment } from '../domain/follow.ts'
import { showOwnEmailPayment } from '../domain/show.ts'
import { badField } from '../errors.ts'
import { type EmailStatus, listEmailPayments } from '../store.ts'
import { readCursor, toCursor } from '../../../kernel/paging.ts'
import { describedClaimRoutes } from './described.ts'

const { text, bool, integer, orNull, list, record, words } = answer
const LIMIT_DEFAULT = 25
const LIMIT_MAX = 100
const STATUSES: readonly EmailStatus[] = ['waiting', 'funded', 'completed', 'expired']

const place = { tag: 'email', scope: 'email', who: 'account' } as const

const routes: readonly ApiRoute<EmailContext>[] = [
  {
    ...place,
    method: 'get',
    path: '/api/emails',
    id: 'listEmailPayments',
    summary: 'Email payments of the account, newest first.',
    query: [
      ...PAGES,
      {
        name: 'status',
        schema: words('waiting', 'funded', 'completed', 'expired'),
        description: 'Only those with this status.',
      },
    ],
    answer: record({ payments: list(listedPayment.schema), limit: integer, next_cursor: orNull(text) }),
    async run(ctx, { caller: { accountId }, query }) {
      const limit = readLimit(query.limit)
      const filter = { accountId, status: readStatus(query.status), limit, after: readCursor(query.cursor) }
      const payments = await listEmailPayments(ctx.store.db, filter)
      const last = payments.length === limit ? payments.at(-1) : undefined
      return { json: { payments: payments.map(listedPayment.show), limit, next_cursor: last ? toCursor(last) : null } }
    },
  },
  {
    ...place,
    method: 'get',
    path: '/api/emails/{id}',
    id: 'getEmailPayment',
    summary: 'An email payment and its recipients.',
    answer: record({ payment: ownPayment.schema }),
    run: async (ctx, { caller: { accountId }, params }) => ({
      json: { payment: await showOwnEmailPayment(ctx, { id: params.id!, accountId }) },
    }),
  },
  {
    ...place,
    method: 'delete',
    path: '/api/emails/{id}',
    id: 'cancelEmailPayment',
    summary: 'Cancel an email payment; unclaimed shares go back.',
    answer: record({ success: bool, payment: listedPayment.schema }),
    refuses: [409],
    proof: true,
    async run(ctx, { caller: { accountId, actor }, params }) {
      const payment = await cancelEmailPayment(ctx, { id: params.id!, accountId, actor })
      return { json: { success: true, payment: listedPayment.show(payment) } }
    },
  },
]

/** Email payments of an account, under `/api/emails`. */
export const emailRoutes = (ctx: EmailContext) => routesOf(routes, ctx)
export const describedEmailRoutes: readonly Described[] = [...describedOf(routes), ...describedClaimRoutes]

function readLimit(value: unknown): number {
  if (value === undefined || value === '') return LIMIT_DEFAULT
  const limit = typeof value === 'string' && /^[0-9]{1,3}$/.test(value) ? Number(value) : NaN
  if (limit >= 1 && limit <= LIMIT_MAX) return limit
  throw new AppError('invalid_request', `limit must be a whole number from 1 to ${LIMIT_MAX}.`, {
    body: { field: 'limit' },
  })
}

function readStatus(value: unknown): EmailStatus | undefined {
  if (value === undefined || value === '') return undefined
  const status = STATUSES.find((known) => known === value)
  if (!status) throw badField('status', `status must be one of ${STATUSES.join(', ')}.`)
  return status
}
