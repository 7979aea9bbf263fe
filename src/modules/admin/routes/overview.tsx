import { MAIL_KINDS } from '../../../kernel/mail-job.ts'
import { formatNano } from '../../../kernel/money.ts'
import type { Page } from '../../../kernel/page.ts'
import { readCredits, toUsage } from '../../accounts/index.ts'
import { type Stats, countLate, countUnmatched, formatFiat, gatherStats } from '../../checkout/index.ts'
import { listWallets } from '../../wallets/index.ts'
import { countAttemptDays, countFailing } from '../../webhooks/index.ts'
import { OverviewPage } from '../pages/overview-page.tsx'
import type { AdminPorts } from '../ports.ts'

const DAY = 86_400_000
const WALLETS_MAX = 10_000

/** A merchant's first page. */
export const overviewPages = ({
  checkouts,
  wallets,
  countUnfinished,
}: Pick<AdminPorts, 'checkouts' | 'wallets' | 'countUnfinished'>): readonly Page[] => [
  {
    path: '/',
    permission: 'reports',
    menu: { title: 'Home', group: 'home', order: 10, guide: 'getting-started' },
    async render({ frame, accountId, isAdmin }) {
      const { db } = checkouts
      const stats = await gatherStats(checkouts, accountId)
      const { credits, usage } = await readCredits(checkouts, accountId)
      const filter = { limit: WALLETS_MAX, start: 0, search: undefined, metadata: undefined }
      const owned = await listWallets(wallets, accountId, filter)
      const since = Date.parse(stats.days[0]!.date)
      const tried = await countAttemptDays(db, { accountId, since })
      return (
        <OverviewPage
          frame={frame}
          title="Home"
          lead="Payments in the last 30 days."
          days={stats.days}
          counts={stats.counts}
          revenue={toRevenue(stats)}
          usage={stats.days.map(({ date }) => ({ date, ...toUsage(usage[date]) }))}
          credits={credits}
          wallets={{ count: owned.length, raw: owned.reduce((sum, { balance }) => sum + balance, 0n) }}
          attempts={stats.days.map(({ date }) => {
            const { attempts = 0, failed = 0 } = tried.find(({ day }) => day * DAY === Date.parse(date)) ?? {}
            return { date, attempts, failed }
          })}
          webhooks={await countFailing(db, accountId)}
          tasks={{
            late: await countLate(db, accountId),
            unmatched: await countUnmatched(db, accountId),
            mails: isAdmin ? countDeadMails(await countUnfinished()) : 0,
          }}
        />
      )
    },
  },
]

const countDeadMails = (jobs: Awaited<ReturnType<AdminPorts['countUnfinished']>>) =>
  jobs
    .filter(({ kind, status }) => status === 'dead' && MAIL_KINDS.some((one) => one === kind))
    .reduce((sum, { count }) => sum + count, 0)

export function toRevenue({ revenue }: Stats) {
  return revenue.map(({ currency, count, raw, e8 }) => ({
    currency,
    count,
    amount: currency === 'NANO' ? formatNano(raw) : formatFiat(e8),
  }))
}
