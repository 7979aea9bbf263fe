import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { readNew } from '../../../kernel/resource/read.ts'
import { toList } from '../../../kernel/shape.ts'
import { createParser } from '../../../kernel/parse-fields.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { formBody } from '../../../web/dashboard/resource-form.tsx'
import { resolveNames } from '../../names/index.ts'
import { nanoEmail } from '../actions/nano-email.ts'
import type { EmailContext } from '../context.ts'
import { cancelEmailPayment } from '../domain/follow.ts'
import { emailForm } from '../email-form.ts'
import { openEmailPayment } from '../domain/open.ts'
import { fundingLink, getOwnEmailPayment } from '../domain/show.ts'
import { EmailPage, EmailsPage } from '../pages/emails-page.tsx'
import { listEmailPayments } from '../store.ts'
import { readEmailRequest } from '../wire-fields.ts'
import { readCursor, toCursor } from '../../../kernel/paging.ts'

const PAGE_ROWS = 25

type EmailFields = Parameters<typeof readEmailRequest>[0]

/** Dashboard pages that make, follow and cancel email payments. */
export function emailPages(ctx: EmailContext): readonly (Page | Form)[] {
  const parse = createParser(nanoEmail)
  const section = '/emails'
  const list = async ({ frame, accountId, query }: PageRequest, filled: FormState) => {
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
  const detail = async ({ frame, accountId, params }: PageRequest, filled: FormState) => {
    const own = await getOwnEmailPayment(ctx, { id: params.id!, accountId })
    const link = fundingLink(own.payment)
    const page = ctx.ports.links.page(own.payment.id)
    return <EmailPage frame={frame} filled={filled} link={link} page={page} qrcode={ctx.qrPng(link)} {...own} />
  }
  const done = { made: 'Email payment created. Pay it to send the emails.', cancelled: 'Email payment cancelled.' }
  return [
    {
      path: '/emails',
      permission: 'email',
      menu: { title: 'Email payments', group: 'money', order: 40, guide: 'email' },
      render: (request) => list(request, EMPTY),
    },
    {
      path: '/emails',
      permission: 'email',
      async run({ caller }, fields, idempotency) {
        const typed = formBody(emailForm, undefined, 'create', fields, { currency: 'NANO' })
        const { params } = await resolveNames(ctx.names, typed, nanoEmail)
        readNew(emailForm, undefined, params)
        const filled = Object.entries(params).filter(([, value]) => value !== '')
        const emails = toList(params.emails).filter((email) => email !== undefined)
        const given = parse({ ...Object.fromEntries(filled), emails })
        // The action's schema has validated the fields, which have this shape.
        const { id } = await openEmailPayment(ctx, caller, readEmailRequest(given as EmailFields), idempotency)
        return { to: `/dashboard/emails/${id}?done=made` }
      },
      again: list,
    },
    { path: '/emails/:id', permission: 'email', section, done, render: (request) => detail(request, EMPTY) },
    {
      path: '/emails/:id/cancel',
      permission: 'email',
      proof: true,
      section,
      again: detail,
      async run({ accountId, params, caller: { actor } }) {
        const { id } = await cancelEmailPayment(ctx, { id: params.id!, accountId, actor })
        return { to: `/dashboard/emails/${id}?done=cancelled` }
      },
    },
  ]
}
