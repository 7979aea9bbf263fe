import type { KeptMail, ShownJob } from '../../../kernel/upkeep.ts'
import { AppError } from '../../../kernel/errors.ts'
import { listAccounts } from '../../accounts/index.ts'
import { type CheckoutCtx, gatherStats, listAccountTotals } from '../../checkout/index.ts'
import { countUndelivered } from '../../webhooks/index.ts'
import { AccountsPage } from '../pages/accounts-page.tsx'
import { type GatewayStatus, HealthPage } from '../pages/health-page.tsx'
import { JobsPage } from '../pages/jobs-page.tsx'
import { MailPage } from '../pages/mail-page.tsx'
import type { Door, DoorOptions, Visit } from '../../../http/dashboard.tsx'
import { toRevenue } from './overview.tsx'

const LISTED_MAX = 200
const STATUSES = ['dead', 'ready', 'running', 'done']

export interface AdministrationOptions extends DoorOptions {
  checkouts: CheckoutCtx
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
export function mountAdministration(door: Door, options: AdministrationOptions): void {
  const { store, checkouts, mailIsKept, status, listMails, listJobs, countJobs, retryJob } = options
  const { db } = store

  door.page({ path: '/admin', admin: true }, async ({ frame }) => {
    const stats = await gatherStats(checkouts, undefined)
    const accounts = await listAccounts(db, LISTED_MAX)
    const totals = await listAccountTotals(db, checkouts.till.engine, LISTED_MAX)
    return (
      <AccountsPage
        frame={frame}
        days={stats.days}
        counts={stats.counts}
        revenue={toRevenue(stats)}
        accounts={accounts}
        totals={totals}
      />
    )
  })
  door.page({ path: '/admin/health', admin: true }, async ({ frame }) => (
    <HealthPage frame={frame} status={status()} deliveries={await countUndelivered(db)} />
  ))
  door.page({ path: '/admin/mail', admin: true }, async ({ frame }) => (
    <MailPage frame={frame} isKept={mailIsKept} mails={await listMails(LISTED_MAX)} />
  ))

  const jobs = async ({ frame, query }: Visit) => {
    const chosen = STATUSES.find((one) => one === query.status) ?? 'dead'
    const rows = await listJobs({ status: chosen, limit: LISTED_MAX })
    return <JobsPage frame={frame} status={chosen} jobs={rows} counts={sumByStatus(await countJobs())} />
  }
  door.page({ path: '/admin/jobs', admin: true, done: { retried: 'The job will run in a moment.' } }, jobs)
  door.form({
    path: '/admin/jobs/:id/retry',
    section: '/admin/jobs',
    admin: true,
    async run({ accountId, params }) {
      if (!(await retryJob(params.id!, accountId)))
        throw new AppError('not_found', 'There is no such dead job, or the same one waits already.')
      return { to: '/dashboard/admin/jobs?done=retried' }
    },
    again: (visit, { error }) =>
      jobs({ ...visit, frame: { ...visit.frame, notice: { kind: 'failed', text: error?.text ?? '' } } }),
  })
}

function sumByStatus(counts: readonly { status: string; count: number }[]): { status: string; count: number }[] {
  return STATUSES.map((status) => ({
    status,
    count: counts.filter((one) => one.status === status).reduce((sum, { count }) => sum + count, 0),
  }))
}
