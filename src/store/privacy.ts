import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../kernel/actor.ts'
import type { Db, Tables } from '../kernel/db.ts'
import { AppError } from '../kernel/errors.ts'
import { type StoreCtx, inTx } from '../kernel/in-tx.ts'
import { STEP_ROWS, deleteSome, inSteps } from '../kernel/retention.ts'
import { closeAccount, findAccount, insertAudit, lockAccount } from '../modules/accounts/index.ts'
import { PERSONAL, type Personal, type Whose, erasedOf } from './personal.ts'

/** Most rows of an export over HTTP; the command line has no limit. */
const ROWS_MAX = 10_000

/** An operator's actions on the data of an account, recorded in its activity. */
export function openPrivacy(ctx: StoreCtx) {
  return {
    async gather({ accountId, actor }: { accountId: string; actor: Actor }) {
      const account = await findAccount(ctx.db, accountId)
      if (!account) throw new AppError('not_found', 'Account not found.')
      await insertAudit(ctx, { actor, accountId, what: 'account.exported', detail: {} })
      const tables: Record<string, ExportedRow['row'][]> = {}
      let count = 0
      for await (const { table, row } of exportAccount(ctx.db, { accountId, email: account.email?.toLowerCase() })) {
        if (count++ >= ROWS_MAX) return { tables, complete: false }
        const rows = (tables[table] ??= [])
        rows.push(row)
      }
      return { tables, complete: true }
    },
    erase: (who: { accountId: string; actor: Actor; onClosed(): void }) =>
      eraseAccount(ctx, { ...who, signal: new AbortController().signal }),
  }
}

/** Unfinished matters about money or of a merchant: each of these counts must be zero. */
const UNFINISHED: Readonly<Record<string, (accountId: string) => RawBuilder<{ count: number | string }>>> = {
  'open checkouts': (id) => sql`select count(*) as count from checkouts
    where owner = ${id} and status in ('pending', 'detected', 'partial')`,
  'open purchases': (id) => sql`select count(*) as count from service_orders
    inner join checkouts on checkouts.id = service_orders.checkout_id
    where service_orders.account_id = ${id} and checkouts.status in ('pending', 'detected', 'partial')`,
  'open wallets': (id) => sql`select count(*) as count from wallets
    where account_id = ${id} and status not in ('ended', 'deleted')`,
  'wallet blocks in progress': (id) => sql`select count(*) as count from wallet_blocks
    where wallet_id in (select id from wallets where account_id = ${id}) and status in ('queued', 'signed', 'broadcast', 'lost')`,
  'refunds in progress': (id) => sql`select count(*) as count from checkout_refunds
    where owner = ${id} and due_at is not null`,
  'open email payments': (id) => sql`select count(*) as count from email_payments
    where account_id = ${id} and due_at is not null`,
  'events being delivered': (id) => sql`select count(*) as count from deliveries
    inner join events on events.id = deliveries.event_id
    where events.account_id = ${id} and deliveries.state in ('queued', 'sending', 'retrying')`,
  'payments waiting for approval': (id) => sql`select count(*) as count from service_payments
    where account_id = ${id} and outcome in ('unauthorized', 'held')`,
}

/** What prevents an erasure, in words. */
export async function listUnfinished(db: Db, accountId: string): Promise<string[]> {
  const found: string[] = []
  for (const [what, ask] of Object.entries(UNFINISHED)) {
    const count = Number((await ask(accountId).execute(db)).rows[0]!.count)
    if (count > 0) found.push(`${count} ${what}`)
  }
  return found
}

interface Erasure {
  accountId: string
  actor: Actor
  signal: AbortSignal
  /** Notifies every instance that the account has been closed, because they remember keys for a while. */
  onClosed?: (() => void) | undefined
}

/**
 * Erases the personal data of an account's people; what is needed about money stays under the id of the account, which can no longer be
 * used. First the account is closed, so that nothing new begins; then table by table in steps. After an interruption, call it
 * again: finished steps stay, and the email address, by which mails are found, goes last.
 */
export async function eraseAccount(ctx: StoreCtx, { accountId, actor, signal, onClosed }: Erasure): Promise<void> {
  const email = await close(ctx, accountId, actor)
  onClosed?.()
  const whose: Whose = { accountId, email: email?.toLowerCase() }
  // Twice, because a request that was running when the account was closed may have written to tables already processed.
  for (const table of [...Object.keys(PERSONAL), ...Object.keys(PERSONAL)]) {
    if (table !== 'accounts') await inSteps((limit) => eraseSome(ctx, table as keyof Tables, whose, limit), signal)
  }
  if (whose.email !== undefined) await erasePerson(ctx.db, { email: whose.email, emailHash: undefined }, signal)
  if (signal.aborted) return
  await inTx(ctx, async (tx) => {
    await eraseSome(tx, 'accounts', whose, STEP_ROWS)
    await insertAudit(tx, { actor, accountId, what: 'account.erased', detail: {} })
  })
}

/** Suspends the account, ends its sessions and revokes its keys, unless something is unfinished; returns its email address. */
function close(ctx: StoreCtx, accountId: string, actor: Actor): Promise<string | null> {
  return inTx(ctx, async (tx) => {
    await lockAccount(tx.db, accountId)
    const account = await findAccount(tx.db, accountId)
    if (!account) throw new AppError('not_found', 'Account not found.')
    if (account.role === 'admin') throw refused('An administrator’s account cannot be erased.')
    const unfinished = await listUnfinished(tx.db, accountId)
    if (unfinished.length > 0)
      throw refused(`The account has ${unfinished.join(', ')}. Erase it once they are finished.`)
    await closeAccount(tx, accountId)
    await insertAudit(tx, { actor, accountId, what: 'account.closed', detail: {} })
    return account.email
  })
}

const refused = (text: string) => new AppError('conflict', text)

/** One step in one table: erases rows that are not erased yet. */
async function eraseSome(
  { db, clock }: Pick<StoreCtx, 'db' | 'clock'>,
  table: keyof Tables,
  whose: Whose,
  limit: number,
): Promise<number> {
  const personal = PERSONAL[table]
  if ('nobody' in personal || personal.erase === 'keep') return 0
  const { key, erase, changedAt } = personal as Personal<keyof Tables>
  if (erase === 'delete') return deleteSome(db, { from: table, key, where: erasedOf(personal, whose), limit })
  const columns = Object.entries(erase)
  const differs = columns.map(([column, to]) => sql`${sql.ref(column)} is distinct from ${to}`)
  const where = sql<boolean>`${erasedOf(personal, whose)} and (${sql.join(differs, sql` or `)})`
  const keys = sql.join(key.map((column) => sql.ref(column)))
  const set = sql.join([
    ...columns.map(([column, to]) => sql`${sql.ref(column)} = ${to}`),
    ...(changedAt === undefined ? [] : [sql`${sql.ref(changedAt)} = ${later(changedAt, clock.now())}`]),
  ])
  const { numAffectedRows = 0n } = await sql`update ${sql.table(table)} set ${set}
    where (${keys}) in (select ${keys} from ${sql.table(table)} where ${where} limit ${sql.lit(limit)}) and ${where}`.execute(
    db,
  )
  return Number(numAffectedRows)
}

/** Later than the last change even if a clock was set back. */
const later = (column: string, now: number) =>
  sql`case when ${sql.ref(column)} < ${now} then ${now} else ${sql.ref(column)} + 1 end`

const PAGE = 500

interface ExportedRow {
  table: string
  row: Record<string, unknown>
}

/** Everything that the store knows about an account, row by row, some at a time: without secrets, and without other people. */
export async function* exportAccount(db: Db, whose: Whose): AsyncGenerator<ExportedRow> {
  for (const [table, personal] of Object.entries(PERSONAL)) {
    if ('nobody' in personal) continue
    const keys = sql.join(personal.key.map((column) => sql.ref(column)))
    const leftOut = new Set<string>(personal.leftOut)
    let after: unknown[] | undefined
    do {
      const behind = after ? sql`and (${keys}) > (${sql.join(after)})` : sql``
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}
        where ${personal.of(whose)} ${behind} order by ${keys} limit ${PAGE}`.execute(db)
      for (const row of rows) {
        yield { table, row: Object.fromEntries(Object.entries(row).filter(([column]) => !leftOut.has(column))) }
      }
      const last = rows.length < PAGE ? undefined : rows.at(-1)!
      after = last && personal.key.map((column) => last[column])
    } while (after)
  }
}

/** A person who is known by an email address. */
export interface Person {
  /** In lower case. */
  email: string
  /** The hash by which payments by email know the mailbox; undefined where those are not included. */
  emailHash: string | undefined
}

/** Where others have recorded a person's email address, beside the tables of `PERSONAL`. */
interface Named {
  table: keyof Tables
  key: string
  of(person: Person): RawBuilder<boolean>
  /** Whether nothing depends on it any more, so that it can be erased. */
  isOver: RawBuilder<boolean>
  /** The columns that are exported: the others belong to the account that recorded the address. */
  shown: readonly string[]
  blank: RawBuilder<unknown>
}

const CLOSED = sql`('complete', 'expired', 'cancelled')`

const NAMED: readonly Named[] = [
  {
    table: 'checkouts',
    key: 'id',
    of: ({ email }) => sql`notify is not null and lower(notify) = ${email}`,
    // A merchant may still need to be notified of a payment.
    isOver: sql`status in ${CLOSED} and (status <> 'complete' or notified_at is not null)`,
    shown: ['notify', 'created_at'],
    blank: sql`notify = null`,
  },
  {
    table: 'checkout_buyers',
    key: 'checkout_id',
    of: ({ email }) => sql`lower(email) = ${email}`,
    // As long as the checkout is open, its receipt may still be due.
    isOver: sql`checkout_id in (select id from checkouts where status in ${CLOSED})`,
    shown: ['name', 'email', 'created_at', 'receipt_at'],
    blank: sql`email = null, name = null`,
  },
  {
    table: 'service_orders',
    key: 'checkout_id',
    of: ({ email }) => sql`subject = ${email}`,
    isOver: sql`exists (select 1 from checkouts where checkouts.id = service_orders.checkout_id
      and checkouts.status in ${CLOSED})`,
    shown: ['kind', 'subject', 'created_at'],
    blank: sql`subject = 'erased'`,
  },
  {
    table: 'service_payments',
    key: 'block_hash',
    of: ({ email }) => sql`subject = ${email}`,
    isOver: sql`outcome in ('applied', 'refunded')`,
    shown: ['kind', 'subject', 'outcome', 'created_at'],
    blank: sql`subject = 'erased'`,
  },
  {
    table: 'subscriptions',
    key: 'id',
    of: ({ email }) => sql`lower(email) = ${email}`,
    // People who are still reminded end that by the link in the mail, and are erased then.
    isOver: sql`status in ('lapsed', 'ended')`,
    shown: ['email', 'status', 'plan', 'created_at', 'paid_until'],
    blank: sql`email = null`,
  },
  {
    table: 'members',
    key: 'id',
    of: ({ email }) => sql`email = ${email}`,
    // Members of an account are removed by the people of that account.
    isOver: sql`ended_at is not null`,
    shown: ['role', 'invited_at', 'joined_at', 'ended_at'],
    blank: sql`email = 'erased'`,
  },
  {
    table: 'email_recipients',
    key: 'id',
    of: ({ emailHash }) => (emailHash === undefined ? sql`1 = 0` : sql`email_hash = ${emailHash}`),
    // As long as a share can be claimed, its recipient must be notified and counted.
    isOver: sql`status in ('claimed', 'refunded')`,
    shown: ['amount_raw', 'status', 'sent_at', 'claim_address'],
    blank: sql`email = null, email_hash = null`,
  },
]

/** People without an account are known by an email address alone. */
const NO_ACCOUNT = ''
const SHOWN_MAX = 10_000
const PERSON_TABLES = ['sign_in_links', 'jobs', 'mails', 'passkeys', 'recovery_codes'] as const

/** Everything that the store knows about an email address, except the account of that person. */
export async function* exportPerson(db: Db, person: Person): AsyncGenerator<ExportedRow> {
  yield* exportAccount(db, { accountId: NO_ACCOUNT, email: person.email })
  for (const { table, of, shown } of NAMED) {
    const columns = sql.join(shown.map((column) => sql.ref(column)))
    const { rows } = await sql<Record<string, unknown>>`select ${columns} from ${sql.table(table)}
      where ${of(person)} limit ${SHOWN_MAX}`.execute(db)
    for (const row of rows) yield { table, row }
  }
}

/**
 * Removes an email address, in lower case, from what others have recorded, where it is no longer needed. Returns where it is still needed, and how
 * often.
 */
export async function erasePerson(db: Db, person: Person, signal: AbortSignal): Promise<string[]> {
  for (const table of PERSON_TABLES) {
    const personal = PERSONAL[table] as Personal<typeof table>
    const where = erasedOf(personal, { accountId: NO_ACCOUNT, email: person.email })
    await inSteps((limit) => deleteSome(db, { from: table, key: personal.key, where, limit }), signal)
  }
  const needed: string[] = []
  for (const { table, key, of, isOver, blank } of NAMED) {
    const where = sql`${of(person)} and ${isOver}`
    await inSteps(async (limit) => {
      const { numAffectedRows = 0n } = await sql`update ${sql.table(table)} set ${blank}
        where ${sql.ref(key)} in (select ${sql.ref(key)} from ${sql.table(table)} where ${where} limit ${limit})
          and ${where}`.execute(db)
      return Number(numAffectedRows)
    }, signal)
    const { rows } = await sql<{ count: number | string }>`select count(*) as count from ${sql.table(table)}
      where ${of(person)}`.execute(db)
    if (Number(rows[0]!.count) > 0) needed.push(`${rows[0]!.count} ${table}`)
  }
  return needed
}
