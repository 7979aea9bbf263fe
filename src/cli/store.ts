import { OPERATOR } from '../kernel/actor.ts'
import { type Config, loadConfig, storeUrl } from '../config/config.ts'
import { systemClock } from '../infra/clock.ts'
import { copyStore } from '../infra/db/copy.ts'
import type { Listening } from '../infra/db/notices.ts'
import type { Store } from '../infra/db/open.ts'
import { TABLES, openStore } from '../store/schema.ts'
import { terminalFailures } from '../infra/failures.ts'
import { toAccountNotice } from '../kernel/account-notice.ts'
import { openIds, systemRandom } from '../infra/random.ts'
import { listJobs, retryDead } from '../infra/jobs/queue.ts'
import { listCapturedMail } from '../infra/mail/captured.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import { notifyGateways } from '../infra/db/command-socket.ts'
import {
  createAccount,
  findAccount,
  issueKey,
  listAccounts,
  listKeys,
  readWanted,
  revokeKey,
  accountKey,
} from '../modules/accounts/index.ts'

const LISTED_MAX = 200

export interface Flags {
  json?: boolean
}

/** How long a gateway may take to confirm a change. */
const CONFIRM_MAX = 5_000

/** What a command reports about running gateways. */
interface Announced {
  text: string
  facts: { in_force: boolean; confirmed_by: Pick<Listening, 'host' | 'pid'>[] }
  confirmed: readonly Listening[]
}

/** How a command reaches the gateways that run on the same store. */
export interface Announcing {
  publish(topic: string, payload: string): void
  /** Resolves once every running gateway acts on what was published. */
  announced(): Promise<Announced>
}

/** Opens the configured store, runs, closes. Gateways may run meanwhile. */
export async function withStore<T>(run: (ctx: StoreCtx, store: Store, gateways: Announcing) => Promise<T>): Promise<T> {
  const config = loadConfig()
  const store = await openStore(storeUrl(config), systemClock, { unlimited: true })
  const gateways = openAnnouncing(config, store)
  try {
    const { publish } = gateways
    const base = { clock: systemClock, random: systemRandom, ids: openIds(systemRandom), failures: terminalFailures }
    const notifyAccount: StoreCtx['notifyAccount'] = (accountId, about) =>
      publish(...toAccountNotice({ accountId, about }))
    const ctx = { db: store.db, ...base, wakeJobs: () => publish('jobs', ''), notifyAccount }
    return await run(ctx, store, gateways)
  } finally {
    await gateways.sent()
    await store.close()
  }
}

/**
 * PostgreSQL delivers notices to every gateway on it. With an embedded store, gateways listen on a socket in its data
 * folder.
 */
function openAnnouncing(config: Config, store: Store): Announcing & { sent(): Promise<unknown> } {
  const sent: Promise<Confirmed>[] = []
  const { notices, listConfirming } = store
  const send = async (...notice: [string, string]): Promise<Confirmed> => {
    if (!listConfirming) return notifyGateways(config, notice, CONFIRM_MAX)
    await notices.deliver(...notice)
    return NONE
  }
  return {
    publish: (...notice) => void sent.push(send(...notice)),
    sent: () => Promise.all(sent),
    async announced() {
      const answers = await Promise.all(sent)
      const last = listConfirming ? await listConfirming(CONFIRM_MAX) : (answers.at(-1) ?? NONE)
      const confirmed = last.confirmed.filter(({ isGateway }) => isGateway)
      return toAnnounced(confirmed, answers.every(({ all }) => all) && last.all)
    },
  }
}

type Confirmed = Awaited<ReturnType<typeof notifyGateways>>
const NONE: Confirmed = { confirmed: [], all: true }

function toAnnounced(confirmed: readonly Listening[], all: boolean): Announced {
  const names = confirmed.map(({ host, pid }) => `process ${pid} on ${host}`).join(', ')
  const facts = { in_force: all, confirmed_by: confirmed.map(({ host, pid }) => ({ host, pid })) }
  if (all)
    return {
      text: confirmed.length === 0 ? 'No gateway is running.' : `Confirmed by the gateway: ${names}.`,
      facts,
      confirmed,
    }
  process.exitCode = 1
  const others = confirmed.length === 0 ? '' : ` Confirmed by ${names}.`
  return {
    text: `A running gateway did not confirm it and may use what it remembers for up to 30 seconds.${others}`,
    facts,
    confirmed,
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
    const account = await createAccount(ctx, { email: email ?? null, role: admin ? 'admin' : 'user', actor: OPERATOR })
    print(json, account, [account.id])
  })
}

interface KeyFlags extends Flags {
  name: string
  public?: boolean
  origin?: string[]
  address?: string[]
  template?: string[]
  scope?: string[]
  expires?: string
  perMinute?: string
  spendDaily?: string
}

export function createKey(accountId: string, flags: KeyFlags): Promise<void> {
  const { json, name, origin, address, template, scope, expires, perMinute, spendDaily } = flags
  return withStore(async (ctx) => {
    if (!(await findAccount(ctx.db, accountId))) throw new Error('Account not found.')
    const kind = flags.public ? 'public' : 'secret'
    const wanted = {
      scopes: scope,
      addresses: address,
      templates: template,
      expires_unix: expires === undefined ? undefined : toUnix(expires),
      per_minute: perMinute === undefined ? undefined : Number(perMinute),
      spend_daily_nano: spendDaily,
    }
    const { text, key } = await issueKey(ctx, {
      accountId,
      kind,
      name,
      origins: origin ?? [],
      actor: OPERATOR,
      wanted: readWanted(wanted, kind, ctx.clock.now()),
    })
    print(json, { key: text, ...toPrinted(key, ctx.clock.now()) }, [text, 'Shown only once: keep it.'])
  })
}

const toUnix = (text: string) => (/^[0-9]+$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000))

/** The printed form of a key, on which scripts rely. Scopes have the names of the REST interface. */
function toPrinted(key: Awaited<ReturnType<typeof listKeys>>[number], now: number): object {
  const { limits: _limits, lastsUntil: _until, boundTo: _bound, ...printed } = key
  const { addresses, templates, scopes, expires_unix, per_minute, spend_daily_nano } = accountKey.show(key, now)
  return { ...printed, addresses, templates, scopes, expires_unix, per_minute, spend_daily_nano }
}

export function printKeys(accountId: string, { json }: Flags): Promise<void> {
  return withStore(async ({ db, clock }) => {
    const keys = await listKeys(db, accountId, LISTED_MAX)
    const lines = keys.map((key) => {
      const { id, start, kind, name, revokedAt, lastUsedAt, expiresAt, scopes } = key
      const { per_minute: perMinute, spend_daily_nano: spend } = accountKey.show(key, clock.now())
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
  return withStore(async (ctx, _store, gateways) => {
    gateways.publish('key', await revokeKey(ctx, { accountId, keyId, actor: OPERATOR }))
    const { text, facts } = await gateways.announced()
    print(json, { revoked: keyId, ...facts }, [`Revoked ${keyId}. ${text}`])
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
