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
  /** The takings of the days in the list, by the names of the days; empty where the list is only a part of them. */
  sums: Readonly<Record<string, string>>
  view: View
  isFiltered: boolean
  first: string | undefined
  next: string | undefined
  /** Undefined for the reader's own account. */
  account: string | undefined
}

/** The lists of payments: all, or those of one kind, which have no filters but the search. */
export const VIEWS = {
  all: { path: '/checkouts', title: 'Payments', empty: 'No payments yet' },
  refunds: { path: '/checkouts/refunds', title: 'Refunds', empty: 'Nothing was refunded' },
  invoices: { path: '/checkouts/invoices', title: 'Invoices', empty: 'No invoices yet' },
} as const

export type View = keyof typeof VIEWS

/** The most frequent filters, each one click away. */
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

type Filtered = Pick<CheckoutsPageProps, 'filled' | 'currencies' | 'account' | 'view'>

const Filters = ({ filled, currencies, account, view }: Filtered) => (
  <form method="get" action={`/dashboard${VIEWS[view].path}`} class="finding" aria-label="Filters" role="search">
    {account !== undefined && <input type="hidden" name="account" value={account} />}
    <div class="line">
      <input
        type="search"
        name="text"
        aria-label="Search"
        placeholder="Buyer, product or invoice"
        maxLength={120}
        value={filled.values.text}
      />
      <button class="plain">Show</button>
    </div>
    {view === 'all' && <MoreFilters {...{ filled, currencies }} />}
  </form>
)

const MoreFilters = ({ filled, currencies }: Pick<Filtered, 'filled' | 'currencies'>) => (
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
)

const Beginnings = ({ frame, view }: Pick<CheckoutsPageProps, 'frame' | 'view'>) => (
  <>
    {view === 'invoices' ? 'Links make them for every order, or ' : 'Share a link, open a till, or '}
    <WayTo frame={frame} href="/dashboard/checkouts/new">
      ask for a single payment.
    </WayTo>
  </>
)

export const CheckoutsPage = (props: CheckoutsPageProps) => {
  const { frame, rows, sums, view, isFiltered, first, next, account } = props
  const { path, title, empty } = VIEWS[view]
  return (
    <Frame
      {...frame}
      title={title}
      follows={['checkout']}
      lead={account === undefined ? undefined : account === 'all' ? 'All accounts.' : `Account ${account}.`}
      actions={
        account === undefined &&
        view === 'all' && (
          <a class="button plain" href="/api/checkouts/export.csv" download>
            Export
          </a>
        )
      }
    >
      <Filters {...props} />
      {view === 'all' && <Chips {...props} />}
      {rows.length === 0 && isFiltered && (
        <Empty title="No payments found">
          <p>
            <a href={`/dashboard${path}`}>Show all</a>
          </p>
        </Empty>
      )}
      {rows.length === 0 && !isFiltered && (
        <Empty title={empty}>
          <p>{view === 'refunds' ? 'A payment is refunded on its own page.' : <Beginnings {...{ frame, view }} />}</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <section class="card flush">
          <PaymentList label={title} rows={rows} sums={sums} />
          <Pager first={first} next={next} />
        </section>
      )}
    </Frame>
  )
}
