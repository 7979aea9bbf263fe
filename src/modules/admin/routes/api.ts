import { answer } from '../../../kernel/answers.ts'
import { AppError } from '../../../kernel/errors.ts'
import { requireUnbound } from '../../../kernel/rights.ts'
import { type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import { iso, view } from '../../../kernel/view.ts'
import { readReason } from '../../accounts/index.ts'
import {
  type FrozenWallet,
  type SendFreeze,
  freezeSends,
  listFreezes,
  listFrozen,
  unfreezeSends,
} from '../../wallets/index.ts'
import type { AdminPorts, JobView, StoredMail } from '../ports.ts'

const { text, bool, map, object, integer, orNull, list, optional, record, words } = answer
const LISTED_MAX = 200
const JOB_STATUSES = ['ready', 'running', 'done', 'dead']

type AdminRoutesPorts = Pick<AdminPorts, 'store' | 'listMails' | 'listJobs' | 'gather' | 'erase' | 'announceStanding'>

const mail = view<StoredMail>()({ id: text, recipient: text, subject: text, text, created_at: iso('createdAt') })
const job = view<JobView>()({
  id: text,
  kind: text,
  status: text,
  attempts: integer,
  run_at: iso('runAt'),
  last_error: orNull(text),
})
const freeze = view<SendFreeze>()({ id: [text, ({ scope }) => scope], reason: text, frozen_at: iso('frozenAt') })
const frozenWallet = view<FrozenWallet>()({
  id: text,
  address: text,
  account: [orNull(text), ({ accountId }) => accountId],
  reason: text,
  frozen_at: iso('frozenAt'),
})

const place = { tag: 'admin', scope: 'keys', who: 'administrator' } as const

const routes: readonly ApiRoute<AdminRoutesPorts>[] = [
  {
    ...place,
    method: 'get',
    path: '/api/mails',
    id: 'listMails',
    summary: 'Mail that was stored instead of sent.',
    answer: record({ mails: list(mail.schema) }),
    async run({ listMails }, { caller }) {
      requireUnbound(caller)
      return { json: { mails: (await listMails(LISTED_MAX)).map(mail.show) } }
    },
  },
  {
    ...place,
    method: 'get',
    path: '/api/jobs',
    id: 'listJobs',
    summary: 'Background jobs.',
    query: [{ name: 'status', schema: words(...JOB_STATUSES), description: 'Only those in this state.' }],
    answer: record({ jobs: list(job.schema) }),
    async run({ listJobs }, { query }) {
      const jobs = await listJobs({ ...readJobStatus(query), limit: LISTED_MAX })
      return { json: { jobs: jobs.map(job.show) } }
    },
  },
  {
    ...place,
    method: 'get',
    path: '/api/freezes',
    id: 'listFreezes',
    summary: 'Frozen sends and frozen wallets, with the reason of each.',
    answer: record({ sends: list(freeze.schema), wallets: list(frozenWallet.schema) }),
    async run({ store: { db } }) {
      const [sends, frozen] = await Promise.all([listFreezes(db, LISTED_MAX), listFrozen(db, LISTED_MAX)])
      return { json: { sends: sends.map(freeze.show), wallets: frozen.map(frozenWallet.show) } }
    },
  },
  {
    ...place,
    method: 'put',
    path: '/api/freezes/{id}',
    id: 'setFreeze',
    summary:
      'Freeze all sends (`all`), those of an account, or a wallet by its id or address, at once; or let them go on with `frozen: false`.',
    body: {
      schema: record({ frozen: bool, reason: optional(text), pay_queued: optional(bool) }),
      example: { frozen: true, reason: 'A key is out.' },
    },
    answer: record({ id: text, frozen: bool }),
    refuses: [409],
    proof: true,
    async run({ store }, { caller, params, body }) {
      requireUnbound(caller)
      const { frozen, pay_queued: payQueued, ...given } = body()
      const who = { target: params.id!, actor: caller.actor }
      if (readSwitch('frozen', frozen)) await freezeSends(store, { ...who, reason: readReason(given) })
      else
        await unfreezeSends(store, {
          ...who,
          payQueued: payQueued !== undefined && readSwitch('pay_queued', payQueued),
        })
      store.wakeJobs()
      return { json: { id: params.id!, frozen: frozen === true } }
    },
  },
  {
    ...place,
    method: 'get',
    path: '/api/accounts/{id}/export',
    id: 'exportAccount',
    summary: 'Everything known about an account, except secrets and other people; up to 10,000 rows.',
    answer: record({ account: text, tables: map(list(object)), complete: bool }),
    proof: true,
    async run({ gather }, { caller, params }) {
      requireUnbound(caller)
      const exported = await gather({ accountId: params.id!, actor: caller.actor })
      return { json: { account: params.id!, ...exported } }
    },
  },
  {
    ...place,
    method: 'post',
    path: '/api/accounts/{id}/erase',
    id: 'eraseAccount',
    summary: 'Close an account and erase its personal data. Money records stay; refused while money is in motion.',
    answer: record({ account: text, erased: bool }),
    refuses: [409],
    proof: true,
    async run({ erase, announceStanding }, { caller, params }) {
      requireUnbound(caller)
      const onClosed = () => announceStanding(params.id!)
      await erase({ accountId: params.id!, actor: caller.actor, onClosed })
      return { json: { account: params.id!, erased: true } }
    },
  },
]

/** Routes for administrators about more than their own account, under `/api`. */
export const adminRoutes = (ports: AdminRoutesPorts) => routesOf(routes, ports)
export const describedAdminRoutes = describedOf(routes)

function readJobStatus({ status }: Readonly<Record<string, unknown>>): { status?: string } {
  if (status === undefined) return {}
  if (typeof status === 'string' && JOB_STATUSES.includes(status)) return { status }
  const text = `status must be one of ${JOB_STATUSES.join(', ')}.`
  throw new AppError('invalid_request', text, { body: { field: 'status' } })
}

function readSwitch(field: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new AppError('invalid_request', `${field} must be true or false.`, { body: { field } })
}
