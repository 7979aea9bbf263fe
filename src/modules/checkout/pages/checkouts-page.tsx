import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { SelectField, TextField, WayTo } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { PaymentList, type PaymentRow } from '../../../web/dashboard/payment-list.tsx'
import { Empty, Pager } from '../../../web/dashboard/show.tsx'

interface CheckoutsPageProps {
  frame: FrameProps
  filled: FormState
  currencies: readonly string[]
  rows: readonly PaymentRow[]
  /** The takings of the days in the list, by the names of the days. */
  sums: Readonly<Record<string, string>>
  isFiltered: boolean
  first: string | undefined
  next: string | undefined
  /** Undefined for the reader's own account. */
  account: string | undefined
}

/** What people look for most, as one click each. */
const CHIPS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['All', {}],
  ['Paid', { status: 'complete' }],
  ['Waiting', { status: 'pending' }],
  ['Partly paid', { status: 'partial' }],
  ['Paid late', { additional: 'paid_late' }],
  ['Refunded', { additional: 'refunded' }],
  ['Expired', { status: 'expired' }],
]
const STATUSES = [
  ['', 'Any'],
  ['complete', 'Paid'],
  ['pending', 'Waiting'],
  ['detected', 'Arriving'],
  ['partial', 'Partly paid'],
  ['expired', 'Expired'],
  ['cancelled', 'Cancelled'],
] as const
const MARKS = [
  ['', 'Any'],
  ['overpaid', 'Overpaid'],
  ['paid_late', 'Paid late'],
  ['marked', 'Marked as paid'],
  ['refunded', 'Refunded'],
  ['partly_refunded', 'Partly refunded'],
] as const
const MODES = [
  ['', 'Any'],
  ['unique_amount', 'By amount'],
  ['unique_address', 'By address'],
  ['generated_wallet', 'By wallet'],
] as const
const FURTHER = ['status', 'additional', 'mode', 'currency', 'from', 'to', 'metadata']
/** Filters that have a chip. */
const ON_CHIPS = ['status', 'additional']

const hrefOf = (values: Readonly<Record<string, string | undefined>>) => {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '') as [string, string][]
  return `/dashboard/checkouts${given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`}`
}

const Chips = ({ filled: { values }, account }: Pick<CheckoutsPageProps, 'filled' | 'account'>) => (
  <nav class="chips" aria-label="Which payments">
    {CHIPS.map(([name, wanted]) => (
      <a
        key={name}
        href={hrefOf({ ...values, status: '', additional: '', ...wanted, account })}
        aria-current={ON_CHIPS.every((one) => (values[one] ?? '') === (wanted[one] ?? '')) ? 'page' : undefined}
      >
        {name}
      </a>
    ))}
  </nav>
)

const Filters = ({ filled, currencies, account }: Pick<CheckoutsPageProps, 'filled' | 'currencies' | 'account'>) => (
  <form method="get" action="/dashboard/checkouts" class="finding" aria-label="Filters" role="search">
    {account !== undefined && <input type="hidden" name="account" value={account} />}
    <div class="line">
      <input
        type="search"
        name="text"
        aria-label="Search"
        placeholder="Title, id or payer"
        maxLength={120}
        value={filled.values.text}
      />
      <button class="plain">Show</button>
    </div>
    <details open={FURTHER.some((name) => !ON_CHIPS.includes(name) && (filled.values[name] ?? '') !== '')}>
      <summary>Dates and more</summary>
      <div class="filters">
        <TextField filled={filled} name="from" label="From" type="date" />
        <TextField filled={filled} name="to" label="To" type="date" />
        <SelectField filled={filled} name="status" label="Status" options={STATUSES} />
        <SelectField filled={filled} name="additional" label="Marked" options={MARKS} />
        <SelectField
          filled={filled}
          name="currency"
          label="Currency"
          options={[['', 'Any'], ...['NANO', ...currencies].map((code): [string, string] => [code, code])]}
        />
        <SelectField filled={filled} name="mode" label="Matched" options={MODES} />
        <TextField filled={filled} name="metadata" label="Metadata" placeholder="order=A-17" maxLength={200} />
      </div>
    </details>
  </form>
)

export const CheckoutsPage = (props: CheckoutsPageProps) => {
  const { frame, rows, sums, isFiltered, first, next, account } = props
  return (
    <Frame
      {...frame}
      title="Payments"
      follows={['checkout']}
      lead={account === undefined ? undefined : account === 'all' ? 'All accounts.' : `Account ${account}.`}
      actions={
        account === undefined && (
          <a class="button plain" href="/api/checkouts/export.csv" download>
            Export
          </a>
        )
      }
    >
      <Filters {...props} />
      <Chips {...props} />
      {rows.length === 0 && isFiltered && (
        <Empty title="No payments found">
          <p>
            <a href="/dashboard/checkouts">Show all payments</a>
          </p>
        </Empty>
      )}
      {rows.length === 0 && !isFiltered && (
        <Empty title="No payments yet">
          <p>
            Share a link, open a till, or{' '}
            <WayTo frame={frame} href="/dashboard/checkouts/new">
              ask for a single payment.
            </WayTo>
          </p>
        </Empty>
      )}
      {rows.length > 0 && (
        <section class="card flush">
          <PaymentList label="Payments" rows={rows} sums={sums} />
          <Pager first={first} next={next} />
        </section>
      )}
    </Frame>
  )
}
