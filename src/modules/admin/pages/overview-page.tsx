import type { ComponentChildren } from 'preact'
import type { FrameProps } from '../../../kernel/page.ts'
import { type Bar, DayChart, toHeights } from '../../../web/dashboard/chart.tsx'
import { WayTo } from '../../../web/dashboard/form.tsx'
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
  /** Requests by day; only for one account. */
  usage?: readonly { date: string; requests: number; work: number }[] | undefined
  credits?: number | undefined
  wallets?: { count: number; raw: bigint } | undefined
  webhooks?: { retrying: number; dead: number } | undefined
  /** Attempts at webhooks by day, and how many failed. */
  attempts?: readonly { date: string; attempts: number; failed: number }[] | undefined
  /** `mails` are those given up; only administrators see any. */
  tasks?: { late: number; unmatched: number; mails: number } | undefined
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

const Tasks = ({ tasks, webhooks }: Pick<OverviewProps, 'tasks' | 'webhooks'>) => (
  <>
    {tasks !== undefined && tasks.late > 0 && (
      <p class="notice task">
        {plural(tasks.late, 'checkout was', 'checkouts were')} paid late.{' '}
        <a href="/dashboard/checkouts?additional=paid_late">{tasks.late === 1 ? 'Review it' : 'Review them'}</a> and
        mark the ones you accept.
      </p>
    )}
    {tasks !== undefined && tasks.unmatched > 0 && (
      <p class="notice task">
        {plural(tasks.unmatched, 'payment matches', 'payments match')} no checkout.{' '}
        <a href="/dashboard/checkouts/unmatched">{tasks.unmatched === 1 ? 'Assign it' : 'Assign them'}</a>.
      </p>
    )}
    {tasks !== undefined && tasks.mails > 0 && (
      <p class="notice failed">
        {plural(tasks.mails, 'email')} could not be sent.{' '}
        <a href="/dashboard/admin/jobs?status=dead">Review and retry</a>.
      </p>
    )}
    {webhooks !== undefined && webhooks.dead > 0 && (
      <p class="notice failed">
        {plural(webhooks.dead, 'webhook', 'webhooks')} failed permanently.{' '}
        <a href="/dashboard/webhooks?delivered=false">Review and resend</a>.
      </p>
    )}
  </>
)

function countBars(days: readonly { date: string }[], counts: readonly number[], one: string, many?: string): Bar[] {
  const heights = toHeights(counts.map(BigInt))
  return days.map(({ date }, at) => ({ date, height: heights[at]!, text: plural(counts[at]!, one, many) }))
}

const Attempts = ({ days }: { days: NonNullable<OverviewProps['attempts']> }) => {
  const heights = toHeights(days.map(({ attempts }) => BigInt(attempts)))
  const failed = days.reduce((total, day) => total + day.failed, 0)
  const all = days.reduce((total, day) => total + day.attempts, 0)
  return (
    <DayChart
      title="Webhooks"
      summary={`${plural(all, 'attempt')}, ${failed === 0 ? 'none' : failed.toLocaleString('en')} failed`}
      unit="Attempts, of them failed"
      bars={days.map(({ date, attempts, failed }, at) => ({
        date,
        height: heights[at]!,
        full: attempts === 0 ? 0 : 1 - failed / attempts,
        text: `${plural(attempts, 'attempt')}, ${failed} failed`,
      }))}
    />
  )
}

function Charts({ days, usage, attempts }: Pick<OverviewProps, 'days' | 'usage' | 'attempts'>) {
  const volume = toHeights(days.map(({ raw }) => raw))
  const made = days.reduce((total, day) => total + day.made, 0)
  const completed = days.reduce((total, day) => total + day.completed, 0)
  const madeHeights = toHeights(days.map((day) => BigInt(day.made)))
  const paid = days.reduce((total, { count }) => total + count, 0)
  const work = usage?.reduce((total, day) => total + day.work, 0) ?? 0
  const requestHeights = toHeights((usage ?? []).map((day) => BigInt(day.requests)))
  const requests = usage?.reduce((total, day) => total + day.requests, 0) ?? 0
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
      {usage && (
        <DayChart
          title="Requests"
          summary={`${plural(requests, 'request')}, ${work.toLocaleString('en')} of them for work`}
          unit="Requests, of them for work"
          bars={usage.map(({ date, requests, work }, at) => ({
            date,
            height: requestHeights[at]!,
            full: requests === 0 ? 0 : 1 - work / requests,
            text: `${plural(requests, 'request')}, ${work} for work`,
          }))}
        />
      )}
      {attempts && <Attempts days={attempts} />}
    </div>
  )
}

/** Rounded to six decimals for charts; lists and details are exact. */
function toShort(raw: bigint): string {
  const millionths = raw / 10n ** 24n
  const decimals = (millionths % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')
  return `${(millionths / 1_000_000n).toLocaleString('en')}${decimals === '' ? '' : `.${decimals}`}`
}

const Totals = ({ counts, revenue, tasks }: Pick<OverviewProps, 'counts' | 'revenue' | 'tasks'>) => (
  <div class="row two">
    <Table label="Checkouts by status" head={['Status', 'Checkouts']}>
      {counts.map(({ status, count }) => (
        <tr key={status}>
          <td>{tasks ? <a href={`/dashboard/checkouts?status=${status}`}>{status}</a> : status}</td>
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

/** Business figures of one account, or of all. */
export const OverviewPage = (props: OverviewProps) => {
  const { frame, title, lead, days, counts, revenue, usage, credits, wallets, webhooks, attempts, tasks, children } =
    props
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const failing = (webhooks?.retrying ?? 0) + (webhooks?.dead ?? 0)
  // Before any activity, charts would only push the first steps out of view.
  const isNew =
    total === 0 && !usage?.some(({ requests }) => requests > 0) && !attempts?.some((day) => day.attempts > 0)
  return (
    <Frame
      {...frame}
      title={title}
      follows={['reports', 'wallets:read', 'webhooks']}
      lead={lead}
      actions={
        tasks && (
          <WayTo frame={frame} class="button" href="/dashboard/checkouts/new">
            New checkout
          </WayTo>
        )
      }
    >
      <Tasks tasks={tasks} webhooks={webhooks} />
      <div class="row">
        <Period label="Today (UTC)" days={days.slice(-1)} />
        <Period label="Last 7 days" days={days.slice(-7)} />
        <Period label="Last 30 days" days={days} />
        {webhooks && (
          <Figure
            label="Failing webhooks"
            value={failing}
            tone={webhooks.dead > 0 ? 'bad' : failing > 0 ? 'warn' : 'good'}
            note={failing === 0 ? 'all events delivered' : `${webhooks.retrying} retrying, ${webhooks.dead} failed`}
          />
        )}
        {wallets && (
          <Figure label="In cloud wallets" value={<Nano raw={wallets.raw} />} note={plural(wallets.count, 'wallet')} />
        )}
        {credits !== undefined && (
          <Figure
            label="Credits"
            value={credits.toLocaleString('en')}
            note={<a href="/dashboard/credits">Usage and top-up</a>}
          />
        )}
      </div>
      {!isNew && <Charts days={days} usage={usage} attempts={attempts} />}
      <Card title="Checkouts">
        {total === 0 ? (
          <Empty title="No checkouts yet">
            {tasks && (
              <p>
                <a href="/dashboard/checkouts/new">Create your first checkout</a>, or make one from your shop with an{' '}
                <a href="/dashboard/keys">API key</a>. Checkouts made without a key are not shown here.
              </p>
            )}
          </Empty>
        ) : (
          <Totals counts={counts} revenue={revenue} tasks={tasks} />
        )}
      </Card>
      {children}
    </Frame>
  )
}
