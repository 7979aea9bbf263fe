import type { FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed, WayTo } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Empty, Moment, Pager, Table } from '../../../web/dashboard/show.tsx'
import type { Subscription } from './store.ts'

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
export const SubscriptionsPage = ({ frame, link, titles, rows, first, next }: SubscriptionsPageProps) => (
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
