import type { FrameProps } from '../../../kernel/page.ts'
import { type OverviewDay, OverviewPage, type OverviewProps } from './overview-page.tsx'
import { Badge, Card, Moment, Nano, Table } from '../../../web/dashboard/show.tsx'

interface AccountsPageProps extends Pick<OverviewProps, 'counts' | 'revenue'> {
  frame: FrameProps
  days: readonly OverviewDay[]
  accounts: readonly { id: string; email: string | null; role: 'user' | 'admin'; createdAt: number }[]
  totals: readonly { owner: string; total: number; complete: number; raw: bigint }[]
}

/** Everybody's business together, then each account. */
export const AccountsPage = ({ frame, days, counts, revenue, accounts, totals }: AccountsPageProps) => (
  <OverviewPage
    frame={frame}
    title="All accounts"
    lead="Payments of the last 30 days, of every account."
    days={days}
    counts={counts}
    revenue={revenue}
  >
    <Card title="Accounts" note="The newest 200.">
      <Table label="Accounts" head={['Account', 'Role', 'Checkouts', 'Paid', 'Volume', 'Since']}>
        {accounts.map((account) => {
          const total = totals.find(({ owner }) => owner === account.id)
          return (
            <tr key={account.id}>
              <td class="title-cell">
                {account.email ?? 'without e-mail'}
                <span class="under">
                  <code>{account.id}</code>
                </span>
              </td>
              <td>{account.role === 'admin' ? <Badge state="administrator" /> : 'user'}</td>
              <td>
                {total === undefined ? (
                  0
                ) : (
                  <a href={`/dashboard/checkouts?account=${account.id}`}>{total.total.toLocaleString('en')}</a>
                )}
              </td>
              <td>{(total?.complete ?? 0).toLocaleString('en')}</td>
              <td>
                <Nano raw={total?.raw ?? 0n} />
              </td>
              <td>
                <Moment at={account.createdAt} />
              </td>
            </tr>
          )
        })}
      </Table>
    </Card>
  </OverviewPage>
)
