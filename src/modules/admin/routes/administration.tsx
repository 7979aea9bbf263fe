import { AppError } from '../../../kernel/errors.ts'
import type { Form, Page, PageRequest } from '../../../kernel/page.ts'
import type { KeptMail, ShownJob } from '../../../kernel/upkeep.ts'
import { listAccounts } from '../../accounts/index.ts'
import { type CheckoutRoom, gatherStats, listAccountTotals } from '../../checkout/index.ts'
import { countUndelivered } from '../../webhooks/index.ts'
import { AccountsPage } from '../pages/accounts-page.tsx'
import { type GatewayStatus, HealthPage } from '../pages/health-page.tsx'
import { JobsPage } from '../pages/jobs-page.tsx'
import { MailPage } from '../pages/mail-page.tsx'
import { toRevenue } from './overview.tsx'

const LISTED_MAX = 200
const STATUSES = ['dead', 'ready', 'running', 'done']

interface AdministrationPorts {
  checkouts: CheckoutRoom
  mailIsKept: boolean
  status(): GatewayStatus
  /** Mail that was kept instead of sent, newest first. */
  listMails(limit: number): Promise<KeptMail[]>
  listJobs(filter: { status?: string; limit: number }): Promise<ShownJob[]>
  countJobs(): Promise<{ status: string; count: number }[]>
  /** Dead → ready, by an administrator's word; false when there is no such dead job. */
  retryJob(id: string, actor: string): Promise<boolean>
}

/** What administrators see beyond their own account. */
export function administrationPages(ports: AdministrationPorts): readonly (Page | Form)[] {
  const { checkouts, mailIsKept, status, listMails, listJobs, countJobs, retryJob } = ports
  const { db } = checkouts
  const door = 'administrator'
  const jobs = async ({ frame, query }: PageRequest) => {
    const chosen = STATUSES.find((one) => one === query.status) ?? 'dead'
    const rows = await listJobs({ status: chosen, limit: LISTED_MAX })
    return <JobsPage frame={frame} status={chosen} jobs={rows} counts={sumByStatus(await countJobs())} />
  }
  return [
    {
      path: '/admin',
      door,
      menu: { title: 'All accounts', order: 110 },
      async render({ frame }) {
        const stats = await gatherStats(checkouts, undefined)
        const accounts = await listAccounts(db, LISTED_MAX)
        const totals = await listAccountTotals(db, checkouts.ports.engine, LISTED_MAX)
        const { days, counts } = stats
        return <AccountsPage {...{ frame, days, counts, accounts, totals }} revenue={toRevenue(stats)} />
      },
    },
    {
      path: '/admin/health',
      door,
      menu: { title: 'Health', order: 120 },
      render: async ({ frame }) => (
        <HealthPage frame={frame} status={status()} deliveries={await countUndelivered(db)} />
      ),
    },
    {
      path: '/admin/jobs',
      door,
      menu: { title: 'Jobs', order: 130 },
      done: { retried: 'The job will run in a moment.' },
      render: jobs,
    },
    {
      path: '/admin/jobs/:id/retry',
      section: '/admin/jobs',
      door,
      async run({ accountId, params }) {
        if (!(await retryJob(params.id!, accountId)))
          throw new AppError('not_found', 'There is no such dead job, or the same one waits already.')
        return { to: '/dashboard/admin/jobs?done=retried' }
      },
      again: (request, { error }) =>
        jobs({ ...request, frame: { ...request.frame, notice: { kind: 'failed', text: error?.text ?? '' } } }),
    },
    {
      path: '/admin/mail',
      door,
      menu: { title: 'Mail', order: 140 },
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
