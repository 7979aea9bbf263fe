import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { SelectField, TextField, WayTo } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Empty, Moment, Nano, Pager, Table } from '../../../web/dashboard/show.tsx'

interface CheckoutRow {
  id: string
  title: string | null
  status: string
  additional: string
  mode: string
  currency: string
  price: string | null
  amountRaw: bigint | undefined
  paidRaw: bigint
  createdAt: number
  paidAt: number | null
}

interface CheckoutsPageProps {
  frame: FrameProps
  filled: FormState
  currencies: readonly string[]
  rows: readonly CheckoutRow[]
  isFiltered: boolean
  first: string | undefined
  next: string | undefined
  /** Undefined for the reader's own account. */
  account: string | undefined
}

const STATUSES = ['pending', 'detected', 'partial', 'complete', 'expired', 'cancelled']
const MARKS = ['overpaid', 'paid_late', 'marked', 'refunded', 'partly_refunded']
const MODES = ['unique_amount', 'unique_address', 'generated_wallet']
const FURTHER = ['additional', 'mode', 'currency', 'from', 'to', 'metadata']
const words = (value: string): [string, string] => [value, value.replaceAll('_', ' ')]

const Filters = ({ filled, currencies, account }: Pick<CheckoutsPageProps, 'filled' | 'currencies' | 'account'>) => (
  <form method="get" action="/dashboard/checkouts" class="filters" aria-label="Filters" role="search">
    {account !== undefined && <input type="hidden" name="account" value={account} />}
    <TextField filled={filled} name="text" label="Search" placeholder="Title, id, payer" maxLength={120} />
    <SelectField filled={filled} name="status" label="Status" options={[['', 'Any'], ...STATUSES.map(words)]} />
    <div class="send">
      <button class="plain">Show</button>
    </div>
    <details open={FURTHER.some((name) => (filled.values[name] ?? '') !== '')}>
      <summary>More filters</summary>
      <div class="filters">
        <SelectField filled={filled} name="additional" label="Marker" options={[['', 'Any'], ...MARKS.map(words)]} />
        <SelectField filled={filled} name="mode" label="Mode" options={[['', 'Any'], ...MODES.map(words)]} />
        <SelectField
          filled={filled}
          name="currency"
          label="Currency"
          options={[['', 'Any'], ...['NANO', ...currencies].map((code): [string, string] => [code, code])]}
        />
        <TextField filled={filled} name="from" label="From" type="date" />
        <TextField filled={filled} name="to" label="To" type="date" />
        <TextField filled={filled} name="metadata" label="Metadata" placeholder="order=A-17" maxLength={200} />
      </div>
    </details>
  </form>
)

const Price = ({ row }: { row: CheckoutRow }) => {
  if (row.currency !== 'NANO' && row.price !== null) {
    return (
      <>
        {`${row.price} ${row.currency}`}
        {row.paidRaw > 0n && (
          <span class="under">
            <Nano raw={row.paidRaw} /> paid
          </span>
        )}
      </>
    )
  }
  if (row.amountRaw === undefined) return row.paidRaw > 0n ? <Nano raw={row.paidRaw} /> : <>payer chooses</>
  return (
    <>
      <Nano raw={row.amountRaw} />
      {row.paidRaw > row.amountRaw && (
        <span class="under">
          <Nano raw={row.paidRaw} /> paid
        </span>
      )}
    </>
  )
}

export const CheckoutsPage = (props: CheckoutsPageProps) => {
  const { frame, rows, isFiltered, first, next, account } = props
  return (
    <Frame
      {...frame}
      title="Checkouts"
      follows={['checkout']}
      lead={account === undefined ? undefined : account === 'all' ? 'All accounts.' : `Account ${account}.`}
      actions={
        account === undefined && (
          <>
            <WayTo frame={frame} class="button" href="/dashboard/checkouts/new">
              New checkout
            </WayTo>
            <a class="button plain" href="/dashboard/checkouts/unmatched">
              Unmatched payments
            </a>
            <a class="button plain" href="/api/checkouts/export.csv" download>
              CSV
            </a>
          </>
        )
      }
    >
      <Card>
        <Filters {...props} />
      </Card>
      <Card>
        {rows.length === 0 && isFiltered && (
          <Empty title="No results for these filters">
            <p>
              <a href="/dashboard/checkouts">Show all checkouts</a>
            </p>
          </Empty>
        )}
        {rows.length === 0 && !isFiltered && (
          <Empty title="No checkouts yet">
            <p>
              A checkout is a page where a customer pays you.{' '}
              <WayTo frame={frame} href="/dashboard/checkouts/new">
                Create the first one.
              </WayTo>
            </p>
          </Empty>
        )}
        {rows.length > 0 && (
          <Table label="Checkouts" head={['Checkout', 'Status', 'Price', 'Created', 'Paid']}>
            {rows.map((row) => (
              <tr key={row.id}>
                <td class="title-cell">
                  <a href={`/dashboard/checkouts/${row.id}`}>{row.title ?? 'Untitled'}</a>
                  <span class="under">
                    <code>{row.id}</code>
                  </span>
                </td>
                <td>
                  <Badge state={row.status} /> {row.additional !== 'none' && <Badge state={row.additional} />}
                </td>
                <td>
                  <Price row={row} />
                </td>
                <td>
                  <Moment at={row.createdAt} />
                </td>
                <td>{row.paidAt === null ? <span class="soft">not yet</span> : <Moment at={row.paidAt} />}</td>
              </tr>
            ))}
          </Table>
        )}
        <Pager first={first} next={next} />
      </Card>
    </Frame>
  )
}
