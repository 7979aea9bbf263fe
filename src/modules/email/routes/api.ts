import { AppError } from '../kernel/errors.ts'
import {
  type EmailCtx,
  type EmailPayment,
  type EmailStatus,
  badField,
  cancelEmailPayment,
  listEmailPayments,
  showListed,
  showOwnEmailPayment,
} from '../modules/email/index.ts'
import type { RestPart } from './rest.ts'

const LIMIT_DEFAULT = 25
const LIMIT_MAX = 100
const STATUSES: readonly EmailStatus[] = ['waiting', 'funded', 'completed', 'expired']

/** Payments by mail of an account, under `/api/emails`. */
export function emailRoutes(ctx: EmailCtx): RestPart {
  return (api, forAccount) => {
    api.get(
      '/emails',
      forAccount(async ({ caller: { accountId }, query }) => {
        const limit = readLimit(query.limit)
        const filter = { accountId, status: readStatus(query.status), limit, after: readCursor(query.cursor) }
        const payments = await listEmailPayments(ctx.store.db, filter)
        const last = payments.length === limit ? payments.at(-1) : undefined
        return { payments: payments.map(showListed), limit, next_cursor: last ? toCursor(last) : null }
      }),
    )
    api.get(
      '/emails/:id',
      forAccount(async ({ caller: { accountId }, params }) => ({
        payment: await showOwnEmailPayment(ctx, { id: params.id!, accountId }),
      })),
    )
    api.delete(
      '/emails/:id',
      forAccount(async ({ caller: { accountId }, params }) => {
        const payment = await cancelEmailPayment(ctx, { id: params.id!, accountId })
        return { success: true, payment: showListed(payment) }
      }),
    )
  }
}

export const toCursor = ({ createdAt, id }: EmailPayment) => `${createdAt}-${id}`

export function readCursor(value: unknown): { createdAt: number; id: string } | undefined {
  if (value === undefined || value === '') return undefined
  const [, createdAt, id] = /^([0-9]{1,15})-([0-9a-f]{16})$/.exec(typeof value === 'string' ? value : '') ?? []
  if (createdAt === undefined) throw badField('cursor', 'cursor must be the next_cursor of an earlier page.')
  return { createdAt: Number(createdAt), id: id! }
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
