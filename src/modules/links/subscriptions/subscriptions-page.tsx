import type { FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Empty, Moment, Pager, Table } from '../../../web/dashboard/show.tsx'
import type { Subscription } from './store.ts'

interface SubscriptionsPageProps {
  frame: FrameProps
  link: { id: string; title: string }
  rows: readonly Subscription[]
  first: string | undefined
  next: string | undefined
}

/** The subscribers of a link. */
export const SubscriptionsPage = ({ frame, link, rows, first, next }: SubscriptionsPageProps) => (
  <Frame {...frame} title="Subscriptions" lead={<a href={`/dashboard/links/${link.id}`}>{link.title}</a>}>
    <Card>
      {rows.length === 0 ? (
        <Empty title="No subscribers yet">
          <p>Subscribers are listed here and reminded by email before their period ends.</p>
        </Empty>
      ) : (
        <Table label="Subscriptions" head={['Payer', 'Status', 'Paid until', 'Payments', 'Since', 'Ending']}>
          {rows.map((row) => (
            <tr key={row.id}>
              <td class="title-cell">
                <span dir="auto">{row.email ?? 'forgotten'}</span>
                <span class="under">{row.plan ?? row.id}</span>
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
              <td>{row.status !== 'ended' && <Ending frame={frame} linkId={link.id} row={row} />}</td>
            </tr>
          ))}
        </Table>
      )}
      <Pager first={first} next={next} />
    </Card>
  </Frame>
)

const Ending = ({ frame, linkId, row }: { frame: FrameProps; linkId: string; row: Subscription }) => {
  const action = `/dashboard/links/${linkId}/subscriptions/${row.id}/end`
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
