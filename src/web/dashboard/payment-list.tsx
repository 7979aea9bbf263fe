import type { VNode } from 'preact'

/** A payment as lists show it: two lines, all of it a link. */
export interface PaymentRow {
  href: string
  /** What was sold, and to whom or where. */
  what: string
  who: string
  /** In the currency of the price. */
  amount: string
  /** The whole price, where only a part of it was paid. */
  of?: string | undefined
  /** The same in nano, where the price is not. */
  also?: string | undefined
  status: PaymentStatus
  clock: string
  /** The time of day, or the day where it is not today's. */
  when: string
  /** The same for programs. */
  at: string
  /** Its day, where the list is by day. */
  day: string
}

/** The state of a payment, as merchants read it. */
export type PaymentStatus =
  | 'Paid'
  | 'Overpaid'
  | 'Waiting'
  | 'Arriving'
  | 'Partly paid'
  | 'Paid late'
  | 'Refunded'
  | 'Partly refunded'
  | 'Expired'
  | 'Cancelled'

interface Look {
  tone: 'good' | 'warn' | 'info' | 'quiet'
  /** A mark that says the same without colour. */
  mark: VNode
  /** Whether the amount was taken. */
  isTaken?: true
}

const CLOCK = (
  <>
    <circle cx="8" cy="8" r="5.5" />
    <path d="M8 5v3l2 1.5" />
  </>
)
const HALF = (
  <>
    <circle cx="8" cy="8" r="5.5" />
    <path d="M8 2.5v11M8 8h5" />
  </>
)
const TICK = <path d="m3 8.5 3.5 3.5 7-8" />
const BACK = <path d="M6 3 2.5 6.5 6 10M3 6.500h6.500a3.5 3.5 0 0 1 0 7H6" />
const DASH = <path d="M3 8h10" />

const LOOKS: Readonly<Record<PaymentStatus, Look>> = {
  Paid: { tone: 'good', mark: TICK, isTaken: true },
  Overpaid: { tone: 'good', mark: TICK, isTaken: true },
  Waiting: { tone: 'info', mark: CLOCK },
  Arriving: { tone: 'info', mark: CLOCK },
  'Partly paid': { tone: 'warn', mark: HALF },
  'Paid late': { tone: 'warn', mark: CLOCK },
  Refunded: { tone: 'quiet', mark: BACK },
  'Partly refunded': { tone: 'quiet', mark: BACK, isTaken: true },
  Expired: { tone: 'quiet', mark: DASH },
  Cancelled: { tone: 'quiet', mark: DASH },
}

const Status = ({ status }: { status: PaymentStatus }) => (
  <span class={`badge ${LOOKS[status].tone}`}>
    <svg viewBox="0 0 16 16" width="13" height="13" aria-hidden="true">
      {LOOKS[status].mark}
    </svg>
    {status}
  </span>
)

/** Payments, newest first; on a phone each is two lines. `sums` are the takings by day, where the list is by day. */
export const PaymentList = (props: {
  label: string
  rows: readonly PaymentRow[]
  sums?: Readonly<Record<string, string>>
}) => (
  <table class="list" role="table" aria-label={props.label}>
    <thead role="rowgroup">
      <tr role="row">
        {['What and who', 'Amount', 'Status', 'Time'].map((name) => (
          <th
            key={name}
            scope="col"
            role="columnheader"
            class={name === 'Amount' || name === 'Time' ? 'num' : undefined}
          >
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      {props.rows.map((row, at) => [
        props.sums && row.day !== props.rows[at - 1]?.day && (
          <tr class="day" role="row" key={row.day}>
            <th colSpan={4} scope="colgroup" role="cell">
              {row.day} <span class="sum">{props.sums[row.day]}</span>
            </th>
          </tr>
        ),
        <Row key={row.href} {...row} when={props.sums ? row.clock : row.when} />,
      ])}
    </tbody>
  </table>
)

const Row = ({ href, what, who, amount, of, also, status, when, at, day }: PaymentRow) => (
  <tr role="row">
    <td role="cell">
      <a class="what" href={href}>
        {what}
      </a>
      <span class="sub">
        <span class="at">{`${when} · `}</span>
        {who}
      </span>
    </td>
    <td role="cell" class="num">
      <span class={LOOKS[status].isTaken ? 'money' : 'money not'}>
        {amount}
        {of !== undefined && <span class="of">{` of ${of}`}</span>}
      </span>
      {also !== undefined && <span class="also">{also}</span>}
    </td>
    <td role="cell">
      <span class="state">
        <Status status={status} />
      </span>
    </td>
    <td role="cell" class="when num">
      <time dateTime={at} title={day}>
        {when}
      </time>
    </td>
  </tr>
)
