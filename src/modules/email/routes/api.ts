import { AppError } from '../../../kernel/errors.ts'
import type { Route } from '../../../kernel/route.ts'
import type { EmailRoom } from '../room.ts'
import { cancelEmailPayment } from '../domain/follow.ts'
import { showListed, showOwnEmailPayment } from '../domain/show.ts'
import { badField } from '../errors.ts'
import { type EmailStatus, listEmailPayments } from '../store.ts'
import { readCursor, toCursor } from '../../../kernel/paging.ts'

const LIMIT_DEFAULT = 25
const LIMIT_MAX = 100
const STATUSES: readonly EmailStatus[] = ['waiting', 'funded', 'completed', 'expired']

/** Email payments of an account, under `/api/emails`. */
export function emailRoutes(ctx: EmailRoom): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/emails',
      door: 'account',
      scope: 'email',
      async run({ caller: { accountId }, query }) {
        const limit = readLimit(query.limit)
        const filter = { accountId, status: readStatus(query.status), limit, after: readCursor(query.cursor) }
        const payments = await listEmailPayments(ctx.store.db, filter)
        const last = payments.length === limit ? payments.at(-1) : undefined
        return { json: { payments: payments.map(showListed), limit, next_cursor: last ? toCursor(last) : null } }
      },
    },
    {
      method: 'GET',
      path: '/api/emails/:id',
      door: 'account',
      scope: 'email',
      run: async ({ caller: { accountId }, params }) => ({
        json: { payment: await showOwnEmailPayment(ctx, { id: params.id!, accountId }) },
      }),
    },
    {
      method: 'DELETE',
      path: '/api/emails/:id',
      door: 'account',
      scope: 'email',
      proof: true,
      async run({ caller: { accountId, actor }, params }) {
        const payment = await cancelEmailPayment(ctx, { id: params.id!, accountId, actor })
        return { json: { success: true, payment: showListed(payment) } }
      },
    },
  ]
}

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
