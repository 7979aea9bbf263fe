import { createParser } from '../../../kernel/parse-fields.ts'
import { resolveNames } from '../../names/index.ts'
import {
  type EmailCtx,
  cancelEmailPayment,
  fundingLink,
  getOwnEmailPayment,
  listEmailPayments,
  nanoEmail,
  openEmailPayment,
  readEmailRequest,
} from '../index.ts'
import { EmailPage, EmailsPage } from '../pages/emails-page.tsx'
import { EMPTY, type Filled } from '../../../web/dashboard/form.tsx'
import { readCursor, toCursor } from '../../../http/email-routes.ts'
import type { Door, Visit } from '../../../http/dashboard.tsx'
import type { FormFields } from '../../../http/form-fields.ts'

const PAGE_ROWS = 25

type EmailFields = Parameters<typeof readEmailRequest>[0]

export interface EmailsOptions {
  emails: EmailCtx
}

/** Payments by mail: made, followed, cancelled. */
export function mountEmails(door: Door, { emails: ctx }: EmailsOptions): void {
  const parse = createParser(nanoEmail)
  const section = '/emails'
  const list = async ({ frame, accountId, query }: Visit, filled: Filled) => {
    const after = readCursor(query.cursor)
    const found = await listEmailPayments(ctx.store.db, { accountId, limit: PAGE_ROWS + 1, after })
    const payments = found.slice(0, PAGE_ROWS)
    return (
      <EmailsPage
        frame={frame}
        filled={filled}
        payments={payments}
        first={after && '/dashboard/emails'}
        next={found.length > PAGE_ROWS ? `/dashboard/emails?cursor=${toCursor(payments.at(-1)!)}` : undefined}
      />
    )
  }
  door.page({ path: '/emails' }, (visit) => list(visit, EMPTY))
  door.form({
    path: '/emails',
    async run({ accountId }, fields, deed) {
      const given = parse((await resolveNames(ctx.names, toBody(fields), nanoEmail)).params)
      // The parser has read them by the action's schema, which is where this shape comes from.
      const { id } = await openEmailPayment(ctx, accountId, readEmailRequest(given as EmailFields), deed)
      return { to: `/dashboard/emails/${id}?done=made` }
    },
    again: (visit, { values, error }) => {
      const field = error?.field?.startsWith('emails') === true ? 'emails' : error?.field
      return list(visit, { values, error: error && { ...error, field } })
    },
  })

  const done = { made: 'It is made. Pay it, and the mails go out.', cancelled: 'It is cancelled.' }
  const detail = async ({ frame, accountId, params }: Visit, filled: Filled) => {
    const own = await getOwnEmailPayment(ctx, { id: params.id!, accountId })
    const link = fundingLink(own.payment)
    const page = ctx.postOffice.links.page(own.payment.id)
    return <EmailPage frame={frame} filled={filled} link={link} page={page} qrcode={ctx.custody.qrPng(link)} {...own} />
  }
  door.page({ path: '/emails/:id', section, done }, (visit) => detail(visit, EMPTY))
  door.form({
    path: '/emails/:id/cancel',
    section,
    again: detail,
    async run({ accountId, params }) {
      const { id } = await cancelEmailPayment(ctx, { id: params.id!, accountId })
      return { to: `/dashboard/emails/${id}?done=cancelled` }
    },
  })
}

function toBody(fields: FormFields): Record<string, unknown> {
  const emails = fields
    .get('emails')
    .split(/[\s,;]+/)
    .filter((email) => email !== '')
  return { ...fields.given(['amount', 'refund_address', 'from', 'message', 'email_receipt', 'expiration']), emails }
}
