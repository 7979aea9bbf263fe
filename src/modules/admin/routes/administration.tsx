import { formatNano } from '../../../kernel/money.ts'
import type { Form, Page, PageRequest } from '../../../kernel/page.ts'
import { listAccounts } from '../../accounts/index.ts'
import { type Stats, formatFiat, gatherStats, listAccountTotals } from '../../checkout/index.ts'
import { countUndelivered } from '../../webhooks/index.ts'
import { retryJob } from '../domain/retry-job.ts'
import { AccountsPage } from '../pages/accounts-page.tsx'
import { HealthPage } from '../pages/health-page.tsx'
import { JobsPage } from '../pages/jobs-page.tsx'
import { MailPage } from '../pages/mail-page.tsx'
import type { AdminPorts } from '../ports.ts'

const LISTED_MAX = 200
const SEARCH_LENGTH_MAX = 100
const STATUSES = ['dead', 'ready', 'running', 'done']

/** Pages for administrators about more than their own account. */
export function administrationPages(ports: AdminPorts): readonly (Page | Form)[] {
  const { checkouts, mailIsKept, status, listMails, listJobs, countJobs } = ports
  const { db } = checkouts
  const access = 'administrator'
  const jobs = async ({ frame, query }: PageRequest) => {
    const chosen = STATUSES.find((one) => one === query.status) ?? 'dead'
    const rows = await listJobs({ status: chosen, limit: LISTED_MAX })
    return <JobsPage frame={frame} status={chosen} jobs={rows} counts={sumByStatus(await countJobs())} />
  }
  return [
    {
      path: '/admin',
      permission: 'administration',
      access,
      menu: { title: 'All accounts', group: 'operator', order: 110, guide: 'operating/accounts#act-on-an-account' },
      async render({ frame, query }) {
        const search = (query.search ?? '').trim().slice(0, SEARCH_LENGTH_MAX)
        const stats = await gatherStats(checkouts, undefined)
        const accounts = await listAccounts(db, LISTED_MAX, search)
        const totals = await listAccountTotals(db, checkouts.ports.engine, LISTED_MAX)
        const { days, counts } = stats
        return <AccountsPage {...{ frame, days, counts, accounts, totals, search }} revenue={toRevenue(stats)} />
      },
    },
    {
      path: '/admin/health',
      permission: 'administration',
      access,
      menu: { title: 'Health', group: 'operator', order: 120, guide: 'operating/monitoring' },
      render: async ({ frame }) => (
        <HealthPage frame={frame} status={status()} deliveries={await countUndelivered(db)} />
      ),
    },
    {
      path: '/admin/jobs',
      permission: 'administration',
      access,
      menu: { title: 'Jobs', group: 'operator', order: 130, guide: 'operating/failures' },
      done: { retried: 'Job queued.' },
      render: jobs,
    },
    {
      path: '/admin/jobs/:id/retry',
      permission: 'administration',
      section: '/admin/jobs',
      access,
      async run({ accountId, params, caller: { actor } }) {
        await retryJob(ports, { id: params.id!, accountId, actor })
        return { to: '/dashboard/admin/jobs?done=retried' }
      },
      again: (request, { error }) =>
        jobs({ ...request, frame: { ...request.frame, notice: { kind: 'failed', text: error?.text ?? '' } } }),
    },
    {
      path: '/admin/mail',
      permission: 'administration',
      access,
      menu: { title: 'Mail', group: 'operator', order: 140, guide: 'operating/accounts#mail' },
      render: async ({ frame }) => <MailPage frame={frame} isKept={mailIsKept} mails={await listMails(LISTED_MAX)} />,
    },
  ]
}

function sumByStatus(counts: readonly { status: string; count: number }[]): { status: string; count: number }[] {
  return STATUSES.map((status) => ({
    status,
    count: counts.filter((one) => one.status === status).reduce((sum, { count }) => sum + count, 0),
  }))
}

const toRevenue = ({ revenue }: Stats) =>
  revenue.map(({ currency, count, raw, e8 }) => ({
    currency,
    count,
    amount: currency === 'NANO' ? formatNano(raw) : formatFiat(e8),
  }))
