import type { Form, Page, PageRequest, FrameProps } from '../../../kernel/page.ts'
import { getLink } from '../domain/make-link.ts'
import type { LinkContext } from '../context.ts'
import { readCursor, toCursor } from '../../../kernel/paging.ts'
import { paymentLinks } from '../payment-link.ts'
import { endSubscription } from './follow.ts'
import { listSubscriptions, type Subscription } from './store.ts'
import { ActionButton, Confirmed, WayTo } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Empty, Moment, Pager, Table } from '../../../web/dashboard/show.tsx'

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

interface SubscriptionsPageProps {
  frame: FrameProps
  /** The link whose subscribers they are; undefined for those of all links. */
  link: { id: string; title: string } | undefined
  /** The titles of links by their ids. */
  titles: ReadonlyMap<string, string>
  rows: readonly Subscription[]
  first: string | undefined
  next: string | undefined
}

/** The subscribers of a link, or of all. */
const SubscriptionsPage = ({ frame, link, titles, rows, first, next }: SubscriptionsPageProps) => (
  <Frame
    {...frame}
    title="Subscriptions"
    follows={['checkout']}
    lead={link && <a href={`/dashboard/links/${link.id}`}>{link.title}</a>}
  >
    <Card>
      {rows.length === 0 ? (
        <Empty title="No subscribers yet">
          <p>
            Subscribers are listed here and reminded by email before their period ends. They join by{' '}
            <WayTo frame={frame} href="/dashboard/links/new?for=membership">
              the link of a membership.
            </WayTo>
          </p>
        </Empty>
      ) : (
        <Table label="Subscriptions" head={['Payer', 'Status', 'Paid until', 'Payments', 'Since', 'Ending']}>
          {rows.map((row) => (
            <tr key={row.id}>
              <td class="title-cell">
                <span dir="auto">{row.email ?? 'forgotten'}</span>
                <span class="under">
                  {[titles.get(row.linkId), row.plan].filter((part) => part !== undefined && part !== null).join(', ')}
                </span>
              </td>
              <td>
                <Badge state={row.status} />
              </td>
              <td>
                <Moment at={row.paidUntil} />
              </td>
              <td>
                {row.checkoutId === null ? (
                  row.periods
                ) : (
                  <a href={`/dashboard/checkouts/${row.checkoutId}`}>{row.periods}</a>
                )}
              </td>
              <td>
                <Moment at={row.createdAt} />
              </td>
              <td>{row.status !== 'ended' && <Ending frame={frame} row={row} />}</td>
            </tr>
          ))}
        </Table>
      )}
      <Pager first={first} next={next} />
    </Card>
  </Frame>
)

const Ending = ({ frame, row }: { frame: FrameProps; row: Subscription }) => {
  const action = `/dashboard/links/${row.linkId}/subscriptions/${row.id}/end`
  if (!frame.opens('POST', action)) return null
  return (
    <Confirmed ask="End" about={row.email ?? row.id} kind="danger">
      <p>The payer gets no more reminders. The paid period stays valid until its end.</p>
      <ActionButton frame={frame} action={action} kind="danger" about={row.email ?? row.id}>
        End it
      </ActionButton>
    </Confirmed>
  )
}
