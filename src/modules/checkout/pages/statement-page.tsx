import type { ComponentChildren } from 'preact'
import { formatNano } from '../../../kernel/money.ts'
import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { FormError, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Empty, Table } from '../../../web/dashboard/show.tsx'
import { formatFiat } from '../domain/fiat.ts'
import { type Statement, type Total, referenceOf } from '../statement/statement.ts'

interface StatementPageProps {
  frame: FrameProps
  filled: FormState
  /** Undefined when the month that was asked for is not valid. */
  statement: Statement | undefined
  /** The name of the merchant. */
  merchant: string
  linesMax: number
}

const NAMES = 'January February March April May June July August September October November December'.split(' ')
const nameOf = (month: string) => `${NAMES[Number(month.slice(5)) - 1]} ${month.slice(0, 4)}`
const query = (month: string, zone: string) => new URLSearchParams({ month, time_zone: zone }).toString()
const pageOf = (month: string, zone: string) => `/dashboard/statement?${query(month, zone)}`

const signed = (e8: bigint) => (e8 < 0n ? `−${formatFiat(-e8)}` : formatFiat(e8))
/** Not rounded, because rounded amounts would not add up. */
const exactly = (raw: bigint) => (raw < 0n ? `−${formatNano(-raw)}` : formatNano(raw))

/** Sales and refunds of a month, for screen and print. */
export const StatementPage = ({ frame, filled, statement, merchant, linesMax }: StatementPageProps) => (
  <Frame
    {...frame}
    title={statement ? `Statement ${nameOf(statement.month)}` : 'Statement'}
    lead={statement && <span dir="auto">{merchant}</span>}
    actions={
      statement && (
        <>
          <button type="button" class="plain" data-print hidden>
            Print
          </button>
          <a
            class="button plain"
            href={`/api/checkouts/statement.csv?${query(statement.month, statement.zone)}`}
            download
          >
            CSV
          </a>
        </>
      )
    }
  >
    <div class="screen">
      <Card>
        <Chooser filled={filled} statement={statement} />
      </Card>
    </div>
    {statement && <Lines statement={statement} linesMax={linesMax} />}
  </Frame>
)

const Chooser = ({ filled, statement }: Pick<StatementPageProps, 'filled' | 'statement'>) => (
  <>
    <FormError filled={filled} fields={['month', 'time_zone']} />
    <form method="get" action="/dashboard/statement" class="filters" aria-label="Month">
      <TextField filled={filled} name="month" label="Month" placeholder="2026-10" maxLength={7} required />
      <TextField
        filled={filled}
        name="time_zone"
        label="Time zone"
        placeholder="Europe/Berlin"
        maxLength={64}
        required
      />
      <div class="send">
        <button class="plain">Show</button>
      </div>
    </form>
    {statement && (
      <nav class="pager" aria-label="Months">
        <a href={pageOf(statement.before, statement.zone)} rel="prev">
          {nameOf(statement.before)}
        </a>
        {statement.isOver && (
          <a href={pageOf(statement.after, statement.zone)} rel="next">
            {nameOf(statement.after)}
          </a>
        )}
      </nav>
    )}
  </>
)

const Lines = ({ statement, linesMax }: { statement: Statement; linesMax: number }) => {
  const { clock, from, to, zone, isOver, isCut, sales, again, refunds, apart, nowCounted, others } = statement
  const isEmpty = sales.length + again.length + refunds.length + apart.length === 0
  return (
    <>
      <Card title="Totals">
        <p class="card-note">
          {`From ${clock(from)} until ${clock(to)} (exclusive), time zone ${zone}. `}
          {!isOver && 'This month is not over yet. '}
          A sale counts when it was paid in full, at its price at that moment; a refund when it was made, and whatever
          is paid later on its own day. Fees: none.
        </p>
        {isEmpty ? <Empty title="No sales or refunds this month" /> : <Totals {...statement} />}
        {others.count > 0 && (
          <p>
            {`Not included: ${exactly(others.raw)} nano in ${others.count === 1 ? 'one payment' : `${others.count} payments`} not assigned to a sale`}
            {others.refundedRaw > 0n && `; ${exactly(others.refundedRaw)} nano of it was refunded`}.
          </p>
        )}
        {isCut && (
          <p class="notice failed">
            {`The lists below show the first ${linesMax} lines each. The totals and the CSV include all of them.`}
          </p>
        )}
      </Card>
      {sales.length > 0 && <Sales {...statement} />}
      {again.length > 0 && (
        <Payments title="Further payments" note="For sales that were paid already." payments={again} clock={clock} />
      )}
      {refunds.length > 0 && <Refunds {...statement} />}
      {apart.length > 0 && (
        <Payments
          title="Payments without a sale"
          note="Not included in the totals above."
          payments={apart}
          clock={clock}
          counted="partial payment"
        />
      )}
      {nowCounted.length > 0 && (
        <Payments
          title="Payments that now have a sale"
          note="An earlier month lists them without a sale. The sales above include them, so they are subtracted here."
          payments={nowCounted}
          clock={clock}
          counted="partial payment"
        />
      )}
    </>
  )
}

const Sum = ({ children }: { children?: ComponentChildren }) => <td class="sum">{children}</td>

const Totals = ({ totals }: Pick<Statement, 'totals'>) => (
  <Table label="Totals" head={['Priced in', 'Sales', 'Gross', 'Refunded', 'Net']}>
    {totals.map((total) => (
      <TotalRow key={total.currency} total={total} />
    ))}
    {totals.length > 1 && (
      <tr class="all">
        <th scope="row">Total in nano</th>
        <td>{totals.reduce((sum, { sales }) => sum + sales, 0)}</td>
        <td>{`${exactly(sum(totals, 'grossRaw'))} nano`}</td>
        <td>{`${exactly(sum(totals, 'refundedRaw'))} nano`}</td>
        <td>{`${exactly(sum(totals, 'grossRaw') - sum(totals, 'refundedRaw'))} nano`}</td>
      </tr>
    )}
  </Table>
)

const sum = (totals: readonly Total[], name: 'grossRaw' | 'refundedRaw') =>
  totals.reduce((all, total) => all + total[name], 0n)

const TotalRow = ({ total }: { total: Total }) => {
  const { currency, sales, grossRaw, refundedRaw, grossE8, refundedE8 } = total
  const cell = (raw: bigint, e8: bigint) => (
    <td>
      {currency !== 'NANO' && <strong>{`${signed(e8)} ${currency}`}</strong>}
      <span class={currency === 'NANO' ? undefined : 'under'}>{`${exactly(raw)} nano`}</span>
    </td>
  )
  return (
    <tr>
      <th scope="row">{currency}</th>
      <td>{sales}</td>
      {cell(grossRaw, grossE8)}
      {cell(refundedRaw, refundedE8)}
      {cell(grossRaw - refundedRaw, grossE8 - refundedE8)}
    </tr>
  )
}

const What = ({ id, title, reference }: { id: string; title: string | null; reference: string }) => (
  <td class="title-cell">
    <a href={`/dashboard/checkouts/${id}`}>
      <span dir="auto">{title ?? id}</span>
    </a>
    {title !== null && <span class="under">{id}</span>}
    {reference !== '' && (
      <span class="under" dir="auto">
        {reference}
      </span>
    )}
  </td>
)

const Sales = ({ sales, clock }: Statement) => (
  <Card title="Sales">
    <Table label="Sales" head={['Paid', 'Checkout', 'Price', 'Nano']}>
      {sales.map((sale) => (
        <tr key={sale.id}>
          <td class="at">{clock(sale.paidAt!)}</td>
          <What id={sale.id} title={sale.title} reference={referenceOf(sale)} />
          <Sum>{sale.priceE8 === undefined ? '' : `${formatFiat(sale.priceE8)} ${sale.currency}`}</Sum>
          <Sum>{exactly(sale.paidRaw)}</Sum>
        </tr>
      ))}
    </Table>
  </Card>
)

const Refunds = ({ refunds, clock }: Statement) => (
  <Card title="Refunds">
    <Table label="Refunds" head={['Refunded', 'Checkout', 'Price', 'Nano']}>
      {refunds.map(({ refund, checkout }) => (
        <tr key={refund.id}>
          <td class="at">{clock(refund.createdAt)}</td>
          <What
            id={checkout.id}
            title={checkout.title}
            reference={[referenceOf(checkout), refund.reason ?? ''].filter((text) => text !== '').join(' · ')}
          />
          <Sum>{refund.fiatE8 === undefined ? '' : `${signed(-refund.fiatE8)} ${refund.currency}`}</Sum>
          <Sum>{exactly(-refund.amountRaw)}</Sum>
        </tr>
      ))}
    </Table>
  </Card>
)

const WHY = { late: 'late', unmatched: 'no matching checkout' }

const Reason = ({ id, text }: { id: string | null; text: string }) =>
  id === null ? <>{text}</> : <a href={`/dashboard/checkouts/${id}`}>{text}</a>

interface PaymentsProps extends Pick<Statement, 'clock'> {
  title: string
  note: string
  payments: Statement['apart']
  /** The label of a payment that counted. */
  counted?: string
}

const Payments = ({ title, note, payments, clock, counted = 'further payment' }: PaymentsProps) => (
  <Card title={title} note={note}>
    <Table label={title} head={['Received', 'Reason', 'Block', 'Nano']}>
      {payments.map((payment) => (
        <tr key={payment.blockHash}>
          <td class="at">{clock(payment.createdAt)}</td>
          <td>
            <Reason id={payment.checkoutId} text={payment.kind === 'counted' ? counted : WHY[payment.kind]} />
          </td>
          <td class="title-cell">
            <code>{payment.blockHash}</code>
          </td>
          <Sum>{exactly(payment.amountRaw)}</Sum>
        </tr>
      ))}
    </Table>
  </Card>
)
