import type { FrameProps } from '../../../kernel/page.ts'
import { TextField } from '../../../web/dashboard/form.tsx'
import { type OverviewDay, OverviewPage, type OverviewProps } from './overview-page.tsx'
import { Badge, Card, Moment, Nano, Table } from '../../../web/dashboard/show.tsx'

interface AccountsPageProps extends Pick<OverviewProps, 'counts' | 'revenue'> {
  frame: FrameProps
  days: readonly OverviewDay[]
  accounts: readonly {
    id: string
    email: string | null
    role: 'user' | 'admin'
    createdAt: number
    standing: { suspendedAt: number | null }
  }[]
  search: string
  totals: readonly { owner: string; total: number; complete: number; raw: bigint }[]
}

/** The totals of all accounts, then each account. */
export const AccountsPage = ({ frame, days, counts, revenue, accounts, totals, search }: AccountsPageProps) => (
  <OverviewPage
    frame={frame}
    title="All accounts"
    lead="Payments of all accounts in the last 30 days."
    days={days}
    counts={counts}
    revenue={revenue}
  >
    <Card title="Accounts" note={search === '' ? 'The newest 200.' : `Matching “${search}”.`} id="accounts">
      <form method="get" action="/dashboard/admin#accounts" class="filters" aria-label="Search" role="search">
        <TextField filled={{ values: { search } }} name="search" label="ID or email address" maxLength={100} />
        <div class="send">
          <button class="plain">Show</button>
        </div>
      </form>
      <Table label="Accounts" head={['Account', 'Role', 'Checkouts', 'Paid', 'Volume', 'Since']}>
        {accounts.map((account) => {
          const total = totals.find(({ owner }) => owner === account.id)
          return (
            <tr key={account.id}>
              <td class="title-cell">
                <a href={`/dashboard/admin/accounts/${account.id}`}>{account.email ?? 'no email'}</a>
                <span class="under">
                  <code>{account.id}</code>
                </span>
              </td>
              <td>
                {account.role === 'admin' ? <Badge state="administrator" /> : 'user'}{' '}
                {account.standing.suspendedAt !== null && <Badge state="suspended" />}
              </td>
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
