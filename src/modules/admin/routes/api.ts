import { AppError } from '../../../kernel/errors.ts'
import { requireUnbound } from '../../../kernel/rights.ts'
import type { Route } from '../../../kernel/route.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
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

const LISTED_MAX = 200

type AdminRoutesPorts = Pick<AdminPorts, 'store' | 'listMails' | 'listJobs' | 'gather' | 'erase' | 'tellStanding'>

/** Routes for administrators about more than their own account, under `/api`. */
export function adminRoutes(ports: AdminRoutesPorts): readonly Route[] {
  const { store, listMails, listJobs, gather, erase, tellStanding } = ports
  return [
    {
      method: 'GET',
      path: '/api/mails',
      door: 'administrator',
      scope: 'keys',
      async run({ caller }) {
        requireUnbound(caller)
        return { json: { mails: (await listMails(LISTED_MAX)).map(showMail) } }
      },
    },
    {
      method: 'GET',
      path: '/api/jobs',
      door: 'administrator',
      scope: 'keys',
      async run({ query }) {
        const jobs = await listJobs({ ...readJobStatus(query), limit: LISTED_MAX })
        return { json: { jobs: jobs.map(showJob) } }
      },
    },
    {
      method: 'GET',
      path: '/api/freezes',
      door: 'administrator',
      scope: 'keys',
      async run() {
        const { db } = store
        const [sends, frozen] = await Promise.all([listFreezes(db, LISTED_MAX), listFrozen(db, LISTED_MAX)])
        return { json: { sends: sends.map(showFreeze), wallets: frozen.map(showFrozen) } }
      },
    },
    {
      method: 'PUT',
      path: '/api/freezes/:id',
      door: 'administrator',
      scope: 'keys',
      proof: true,
      async run({ caller, params, body }) {
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
      method: 'GET',
      path: '/api/accounts/:id/export',
      door: 'administrator',
      scope: 'keys',
      proof: true,
      async run({ caller, params }) {
        requireUnbound(caller)
        const exported = await gather({ accountId: params.id!, actor: caller.actor })
        return { json: { account: params.id!, ...exported } }
      },
    },
    {
      method: 'POST',
      path: '/api/accounts/:id/erase',
      door: 'administrator',
      scope: 'keys',
      proof: true,
      async run({ caller, params }) {
        requireUnbound(caller)
        const onClosed = () => tellStanding(params.id!)
        await erase({ accountId: params.id!, actor: caller.actor, onClosed })
        return { json: { account: params.id!, erased: true } }
      },
    },
  ]
}

const JOB_STATUSES = ['ready', 'running', 'done', 'dead']

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

const showFreeze = ({ scope, reason, frozenAt }: SendFreeze): JsonObject => ({
  id: scope,
  reason,
  frozen_at: toTime(frozenAt),
})

const showFrozen = ({ id, address, accountId, reason, frozenAt }: FrozenWallet): JsonObject => ({
  id,
  address,
  account: accountId,
  reason,
  frozen_at: toTime(frozenAt),
})

const toTime = (milliseconds: number) => new Date(milliseconds).toISOString()

function showMail({ id, recipient, subject, text, createdAt }: StoredMail): JsonObject {
  return { id, recipient, subject, text, created_at: toTime(createdAt) }
}

function showJob({ id, kind, status, attempts, runAt, lastError }: JobView): JsonObject {
  return { id, kind, status, attempts, run_at: toTime(runAt), last_error: lastError }
}
