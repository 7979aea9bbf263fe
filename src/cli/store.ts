import { loadConfig, storeUrl } from '../config/config.ts'
import { systemClock } from '../infra/clock.ts'
import { copyStore } from '../infra/db/copy.ts'
import type { Store } from '../infra/db/open.ts'
import { TABLES, openStore } from '../store/schema.ts'
import { terminalFailures } from '../infra/failures.ts'
import { toAccountNotice } from '../kernel/account-notice.ts'
import { openIds } from '../infra/ids.ts'
import { listJobs, retryDead } from '../infra/jobs/queue.ts'
import { listCapturedMail } from '../infra/mail/captured.ts'
import { systemRandom } from '../infra/random.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import {
  createAccount,
  findAccount,
  issueKey,
  listAccounts,
  listKeys,
  readWanted,
  revokeKey,
  showKey,
} from '../modules/accounts/index.ts'

const LISTED_MAX = 200
/** Who did it, in the audit log. */
export const ACTOR = 'command line'

export interface Flags {
  json?: boolean
}

/** Opens the configured store, runs, closes. Works beside a running gateway. */
export async function withStore<T>(run: (ctx: StoreCtx, store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(storeUrl(loadConfig()), systemClock, { unlimited: true })
  try {
    const { db, notices } = store
    const wakeJobs = () => notices.publish('jobs', '')
    const base = { clock: systemClock, random: systemRandom, ids: openIds(systemRandom), failures: terminalFailures }
    const tellAccount: StoreCtx['tellAccount'] = (accountId, about) =>
      notices.publish(...toAccountNotice({ accountId, about }))
    return await run({ db, ...base, wakeJobs, tellAccount }, store)
  } finally {
    await store.close()
  }
}

export function print(json: boolean | undefined, data: unknown, lines: string[]): void {
  console.log(json ? JSON.stringify(data, null, 2) : lines.length === 0 ? 'Nothing there.' : lines.join('\n'))
}

const toDate = (milliseconds: number | null) =>
  milliseconds === null ? 'never' : new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')

export function printAccounts({ json, search }: Flags & { search?: string }): Promise<void> {
  return withStore(async ({ db }) => {
    const found = await listAccounts(db, LISTED_MAX, search)
    const lines = found.map(({ id, email, role, createdAt, standing }) => {
      const state = standing.suspendedAt === null ? '' : `  suspended ${toDate(standing.suspendedAt)}`
      return `${id}  ${role}  ${email ?? '-'}  ${toDate(createdAt)}${state}`
    })
    print(json, found, lines)
  })
}

export function addAccount({ json, email, admin }: Flags & { email?: string; admin?: boolean }): Promise<void> {
  return withStore(async (ctx) => {
    const account = await createAccount(ctx, { email: email ?? null, role: admin ? 'admin' : 'user', actor: ACTOR })
    print(json, account, [account.id])
  })
}

interface KeyFlags extends Flags {
  name: string
  public?: boolean
  origin?: string[]
  scope?: string[]
  expires?: string
  perMinute?: string
  spendDaily?: string
}

export function createKey(accountId: string, flags: KeyFlags): Promise<void> {
  const { json, name, origin, scope, expires, perMinute, spendDaily } = flags
  return withStore(async (ctx) => {
    if (!(await findAccount(ctx.db, accountId))) throw new Error('Account not found.')
    const kind = flags.public ? 'public' : 'secret'
    const wanted = {
      scopes: scope,
      expires_unix: expires === undefined ? undefined : toUnix(expires),
      per_minute: perMinute === undefined ? undefined : Number(perMinute),
      spend_daily_nano: spendDaily,
    }
    const { text, key } = await issueKey(ctx, {
      accountId,
      kind,
      name,
      origins: origin ?? [],
      actor: ACTOR,
      wanted: readWanted(wanted, kind, ctx.clock.now()),
    })
    print(json, { key: text, ...toPrinted(key, ctx.clock.now()) }, [text, 'Shown only once: keep it.'])
  })
}

const toUnix = (text: string) => (/^[0-9]+$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000))

/** As it was printed ever since, and what it may do in the words of the REST interface. */
function toPrinted(key: Awaited<ReturnType<typeof listKeys>>[number], now: number): object {
  const { limits: _limits, lastsUntil: _until, ...printed } = key
  const { scopes, expires_unix, per_minute, spend_daily_nano } = showKey(key, now)
  return { ...printed, scopes, expires_unix, per_minute, spend_daily_nano }
}

export function printKeys(accountId: string, { json }: Flags): Promise<void> {
  return withStore(async ({ db, clock }) => {
    const keys = await listKeys(db, accountId, LISTED_MAX)
    const lines = keys.map((key) => {
      const { id, start, kind, name, revokedAt, lastUsedAt, expiresAt, scopes } = key
      const { per_minute: perMinute, spend_daily_nano: spend } = showKey(key, clock.now())
      const parts = [
        revokedAt === null ? `last used ${toDate(lastUsedAt)}` : `revoked ${toDate(revokedAt)}`,
        ...(expiresAt === null ? [] : [`until ${toDate(expiresAt)}`]),
        ...(scopes === null ? [] : [scopes.join(' ')]),
        ...(perMinute === null ? [] : [`${String(perMinute)} a minute`]),
        ...(spend === null ? [] : [`${String(spend)} nano a day`]),
      ]
      return `${id}  ${start}…  ${kind}  ${name}  ${parts.join('  ')}`
    })
    const printed = keys.map((key) => toPrinted(key, clock.now()))
    print(json, printed, lines)
  })
}

export function endKey(accountId: string, keyId: string, { json }: Flags): Promise<void> {
  return withStore(async (ctx, store) => {
    const hash = await revokeKey(ctx, { accountId, keyId, actor: ACTOR })
    store.notices.publish('key', hash)
    print(json, { revoked: keyId }, [`Revoked ${keyId}. A running gateway forgets it within 30 seconds.`])
  })
}

export function printJobs({ json, status }: Flags & { status?: string }): Promise<void> {
  return withStore(async ({ db }) => {
    const jobs = await listJobs(db, { limit: LISTED_MAX, ...(status !== undefined && { status }) })
    const lines = jobs.map(
      ({ id, kind, status: state, attempts, runAt, lastError }) =>
        `${id}  ${kind}  ${state}  ${attempts} attempts  due ${toDate(runAt)}  ${lastError ?? ''}`,
    )
    print(json, jobs, lines)
  })
}

export function retryJob(id: string, { json }: Flags): Promise<void> {
  return withStore(async ({ db, clock, wakeJobs }) => {
    if (!(await retryDead(db, id, clock.now()))) throw new Error('There is no dead job with this id.')
    wakeJobs()
    print(json, { retried: id }, [`Job ${id} runs again.`])
  })
}

export function printMail({ json }: Flags): Promise<void> {
  return withStore(async ({ db }) => {
    const mails = await listCapturedMail(db, LISTED_MAX)
    const lines = mails.flatMap(({ recipient, subject, text, createdAt }) => [
      `${toDate(createdAt)}  to ${recipient}: ${subject}`,
      ...text.split('\n').map((line) => `    ${line}`),
    ])
    print(json, mails, lines)
  })
}

export function migrateStore({ json, to }: Flags & { to: string }): Promise<void> {
  return withStore(async (_ctx, source) => {
    const target = await openStore(to, systemClock, { unlimited: true })
    try {
      const copied = await copyStore(source, target, TABLES)
      const lines = copied.map(
        ({ table, rows, sum }) => `${table}: ${rows} rows${sum === undefined ? '' : `, sum ${sum}`}`,
      )
      print(json, copied, [...lines, 'Counts and sums agree. Set DATABASE_URL to the new store and start the gateway.'])
    } finally {
      await target.close()
    }
  })
}
