import type { Form, Page, PageRequest } from '../../../kernel/page.ts'
import { getLink } from '../domain/make-link.ts'
import type { LinkContext } from '../context.ts'
import { readCursor, toCursor } from '../../../kernel/paging.ts'
import { paymentLinks } from '../payment-link.ts'
import { endSubscription } from './follow.ts'
import { listSubscriptions } from './store.ts'
import { SubscriptionsPage } from './subscriptions-page.tsx'

const PAGE_ROWS = 25

/** Dashboard pages that list and end the subscriptions of a link. */
export function subscriptionPages(context: LinkContext): readonly (Page | Form)[] {
  const placed = { section: '/links', permission: 'checkout' } as const
  const done = { ended: 'Subscription ended.' }
  return [
    {
      path: '/subscriptions',
      permission: 'checkout',
      menu: { title: 'Subscriptions', group: 'sell', order: 28, guide: 'merchants#subscriptions' },
      render: (request) => show(context, request),
    },
    { ...placed, done, path: '/links/:id/subscriptions', render: (request) => show(context, request) },
    {
      ...placed,
      path: '/links/:id/subscriptions/:subscription/end',
      async run({ accountId: owner, params, caller: { actor } }) {
        const by = { owner, linkId: params.id!, actor }
        await endSubscription(context.checkouts, { id: params.subscription!, by })
        return { to: `/dashboard/links/${params.id!}/subscriptions?done=ended` }
      },
      again: (request) => show(context, request),
    },
  ]
}

/** The subscribers of the link in the path, or of all links. */
async function show(context: LinkContext, { frame, params, query, accountId: owner }: PageRequest) {
  const { db } = context.checkouts
  const link = params.id === undefined ? undefined : await getLink(context, { id: params.id, owner })
  const page = { linkId: link?.id, owner, limit: PAGE_ROWS + 1, after: readCursor(query.cursor) }
  const found = await listSubscriptions(db, page)
  const rows = found.slice(0, PAGE_ROWS)
  const path = link ? `/dashboard/links/${link.id}/subscriptions` : '/dashboard/subscriptions'
  const titles = new Map<string, string>()
  for (const { linkId: id } of rows) {
    const of = titles.has(id) ? undefined : await paymentLinks.findOwn(db, { id, owner })
    if (of) titles.set(id, of.title ?? of.slug)
  }
  return (
    <SubscriptionsPage
      {...{ frame, rows, titles }}
      link={link && { id: link.id, title: link.title ?? link.slug }}
      first={query.cursor === undefined ? undefined : path}
      next={found.length > PAGE_ROWS ? `${path}?cursor=${toCursor(rows.at(-1)!)}` : undefined}
    />
  )
}
