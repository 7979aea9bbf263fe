import { dateAt, dayOf, wallClockOf } from '../../../kernel/calendar.ts'
import { MAIL_KINDS } from '../../../kernel/mail-job.ts'
import type { Page, PageRequest } from '../../../kernel/page.ts'
import { TakingsChart } from '../../../web/dashboard/takings-chart.tsx'
import { findPayout } from '../../accounts/index.ts'
import {
  type Takings,
  addTakings,
  byDate,
  countLate,
  countUnmatched,
  datesUntil,
  listCheckouts,
  listTakings,
  showDay,
  showNanoShort,
  showSum,
  toPaymentRows,
} from '../../checkout/index.ts'
import { countFailing } from '../../webhooks/index.ts'
import { BeginPage, HomePage, type Need } from '../pages/home-page.tsx'
import type { AdminPorts } from '../ports.ts'

const LATEST = 10
const PERIODS = [7, 30, 90] as const

type Ports = Pick<AdminPorts, 'checkouts' | 'countUnfinished'>

/** The first page: the setup before the first payment, the figures of today afterwards. */
export const homePages = (ports: Ports): readonly Page[] => [
  {
    path: '/',
    permission: 'reports',
    menu: { title: 'Home', group: 'home', order: 10, guide: 'getting-started' },
    done: { payout: 'Saved. Your money goes there.' },
    render: (request) => home(ports, request),
  },
]

async function home(ports: Ports, request: PageRequest) {
  const { frame, accountId: owner, query } = request
  const { db, ports: rules, clock } = ports.checkouts
  const { engine } = rules
  const { timeZone: zone, currency } = frame.shop
  const complete = await listCheckouts(db, engine, { owner, status: 'complete', includeHidden: true }, { limit: 1 })
  if (complete.length === 0) return <BeginPage frame={frame} payout={await findPayout(db, owner)} />

  const now = clock.now()
  const today = dateAt(zone, now)
  const dates = datesUntil(today, PERIODS.find((period) => String(period) === query.days) ?? 30)
  const begins = dayOf(zone, today).from
  const yesterday = dayOf(zone, datesUntil(today, 2)[0]!)
  const days = byDate(await listTakings(db, engine, { owner, from: dayOf(zone, dates[0]!).from, to: now + 1 }), zone)
  // The day before may be shorter where clocks change.
  const by = Math.min(yesterday.from + (now - begins), yesterday.to)
  const before = addTakings(await listTakings(db, engine, { owner, from: yesterday.from, to: by }), currency)
  const sumOf = (date: string) => addTakings(days.get(date) ?? [], currency)
  const show = (value: bigint) => showSum(currency, { raw: value, e8: value })
  const clockTime = wallClockOf(zone)(now).slice(11)
  const latest = await listCheckouts(db, engine, { owner }, { limit: LATEST })
  const all = dates.map((date) => ({ date, ...sumOf(date) }))
  return (
    <HomePage
      frame={frame}
      lead={`${showDay(today, today).replace('Today, ', '')}, ${clockTime} in ${placeOf(zone)}`}
      today={{ value: show(sumOf(today).value), text: describe(sumOf(today), currency) }}
      beside={[
        [`Yesterday by ${clockTime}`, show(before.value)],
        ['Yesterday in all', show(sumOf(datesUntil(today, 2)[0]!).value)],
      ]}
      rows={await toPaymentRows(db, latest, { timeZone: zone, now })}
      needs={await listNeeds(ports, request)}
    >
      <TakingsChart
        days={all.map(({ date, value }) => ({ date, name: shortDay(date), value, text: show(value) }))}
        sum={show(all.reduce((sum, { value }) => sum + value, 0n))}
        periods={PERIODS}
        show={show}
      />
    </HomePage>
  )
}

/** Berlin, for Europe/Berlin. */
const placeOf = (zone: string) => zone.split('/').at(-1)!.replaceAll('_', ' ')

const shortDay = (date: string) =>
  new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
    .format(Date.parse(date))
    .replace(',', '')

const plural = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

function describe({ sales, refunds, raw, others }: Takings, currency: string): string {
  const parts = [
    plural(sales, 'payment'),
    ...(refunds > 0 ? [`${refunds.toLocaleString('en')} refunded`] : []),
    ...(currency === 'NANO' ? [] : [showNanoShort(raw)]),
    ...(others > 0 ? [`${others.toLocaleString('en')} priced in another currency`] : []),
  ]
  return parts.join(' · ')
}

/** Tasks that wait for a person. Each reader sees only the tasks that their rights allow. */
async function listNeeds({ checkouts: { db }, countUnfinished }: Ports, { accountId, isAdmin, may }: PageRequest) {
  const needs: Need[] = []
  const [unmatched, late] = may('checkout')
    ? [await countUnmatched(db, accountId), await countLate(db, accountId)]
    : [0, 0]
  if (unmatched > 0) {
    needs.push({
      title: unmatched === 1 ? 'A payment fits no order' : `${unmatched} payments fit no order`,
      text: 'A payment had another amount, or came too late. Assign it to an order, or refund it.',
      href: '/dashboard/checkouts/unmatched',
      way: unmatched === 1 ? 'Look at it' : 'Look at them',
    })
  }
  if (late > 0) {
    needs.push({
      title: plural(late, 'order was', 'orders were') + ' paid late',
      text: 'The money is there. Accept the order, or refund it.',
      href: '/dashboard/checkouts?additional=paid_late',
      way: 'Decide',
    })
  }
  if (may('webhooks')) {
    const { retrying, dead } = await countFailing(db, accountId)
    if (retrying + dead > 0) {
      needs.push({
        title: 'Your web shop does not answer',
        text: `${plural(retrying + dead, 'message is', 'messages are')} waiting${dead > 0 ? `, ${dead} of them given up` : ''}. No payment is lost.`,
        href: '/dashboard/webhooks?delivered=false',
        way: 'See what it said',
      })
    }
  }
  const mails = isAdmin ? countDeadMails(await countUnfinished()) : 0
  if (mails > 0) {
    needs.push({
      title: `${plural(mails, 'mail')} could not be sent`,
      text: 'The mail server refused them.',
      href: '/dashboard/admin/jobs?status=dead',
      way: 'Look and retry',
    })
  }
  return needs
}

const countDeadMails = (jobs: Awaited<ReturnType<AdminPorts['countUnfinished']>>) =>
  jobs
    .filter(({ kind, status }) => status === 'dead' && MAIL_KINDS.some((one) => one === kind))
    .reduce((sum, { count }) => sum + count, 0)
