import type { ComponentChildren } from 'preact'
import type { FrameProps } from '../../../kernel/page.ts'
import { type Bar, DayChart, toHeights } from '../../../web/dashboard/chart.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Empty, Figure, Nano, Table } from '../../../web/dashboard/show.tsx'

export interface OverviewDay {
  date: string
  count: number
  raw: bigint
  made: number
  completed: number
}

export interface OverviewProps {
  frame: FrameProps
  title: string
  lead: string
  days: readonly OverviewDay[]
  counts: readonly { status: string; count: number }[]
  /** Revenue of complete checkouts by currency, as text. */
  revenue: readonly { currency: string; count: number; amount: string }[]
  children?: ComponentChildren
}

const sum = <T,>(rows: readonly T[], value: (row: T) => bigint) => rows.reduce((total, row) => total + value(row), 0n)
const plural = (count: number | bigint, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${String(count) === '1' ? one : many}`

const Period = ({ label, days }: { label: string; days: readonly OverviewDay[] }) => (
  <Figure
    label={label}
    value={<Nano raw={sum(days, ({ raw }) => raw)} />}
    note={plural(
      sum(days, ({ count }) => BigInt(count)),
      'payment',
    )}
  />
)

function countBars(days: readonly { date: string }[], counts: readonly number[], one: string, many?: string): Bar[] {
  const heights = toHeights(counts.map(BigInt))
  return days.map(({ date }, at) => ({ date, height: heights[at]!, text: plural(counts[at]!, one, many) }))
}

function Charts({ days }: Pick<OverviewProps, 'days'>) {
  const volume = toHeights(days.map(({ raw }) => raw))
  const made = days.reduce((total, day) => total + day.made, 0)
  const completed = days.reduce((total, day) => total + day.completed, 0)
  const madeHeights = toHeights(days.map((day) => BigInt(day.made)))
  const paid = days.reduce((total, { count }) => total + count, 0)
  return (
    <div class="row two">
      <DayChart
        title="Payments"
        summary={`${plural(paid, 'payment')} in 30 days`}
        unit="Payments"
        bars={countBars(
          days,
          days.map(({ count }) => count),
          'payment',
        )}
      />
      <DayChart
        title="Volume"
        summary={`${toShort(sum(days, ({ raw }) => raw))} nano in 30 days`}
        unit="Nano"
        bars={days.map(({ date, raw }, at) => ({ date, height: volume[at]!, text: `${toShort(raw)} nano` }))}
      />
      <DayChart
        title="Conversion"
        summary={
          made === 0
            ? 'no checkouts in 30 days'
            : `${Math.round((completed * 100) / made)} % of ${plural(made, 'checkout')} paid`
        }
        unit="Checkouts made and paid"
        bars={days.map((day, at) => ({
          date: day.date,
          height: madeHeights[at]!,
          full: day.made === 0 ? 0 : day.completed / day.made,
          text: `${day.completed} of ${day.made} paid`,
        }))}
      />
    </div>
  )
}

/** Rounded to six decimals for charts; lists and details are exact. */
function toShort(raw: bigint): string {
  const millionths = raw / 10n ** 24n
  const decimals = (millionths % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')
  return `${(millionths / 1_000_000n).toLocaleString('en')}${decimals === '' ? '' : `.${decimals}`}`
}

const Totals = ({ counts, revenue }: Pick<OverviewProps, 'counts' | 'revenue'>) => (
  <div class="row two">
    <Table label="Checkouts by status" head={['Status', 'Checkouts']}>
      {counts.map(({ status, count }) => (
        <tr key={status}>
          <td>{status}</td>
          <td>{count.toLocaleString('en')}</td>
        </tr>
      ))}
    </Table>
    <Table label="Revenue by currency" head={['Currency', 'Paid', 'Revenue']}>
      {revenue.map(({ currency, count, amount }) => (
        <tr key={currency}>
          <td>{currency}</td>
          <td>{count.toLocaleString('en')}</td>
          <td>{`${amount} ${currency === 'NANO' ? 'nano' : currency}`}</td>
        </tr>
      ))}
    </Table>
  </div>
)

export const OverviewPage = ({ frame, title, lead, days, counts, revenue, children }: OverviewProps) => (
  <Frame {...frame} title={title} follows={['reports']} lead={lead}>
    <div class="row">
      <Period label="Today (UTC)" days={days.slice(-1)} />
      <Period label="Last 7 days" days={days.slice(-7)} />
      <Period label="Last 30 days" days={days} />
    </div>
    <Charts days={days} />
    <Card title="Checkouts">
      {counts.length === 0 ? <Empty title="No checkouts yet" /> : <Totals counts={counts} revenue={revenue} />}
    </Card>
    {children}
  </Frame>
)
