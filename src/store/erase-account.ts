import { type Actor } from '../kernel/actor.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../kernel/db.ts'
import { AppError } from '../kernel/errors.ts'
import { type StoreCtx, inTx } from '../kernel/in-tx.ts'
import { STEP_ROWS, deleteSome, inSteps } from '../kernel/retention.ts'
import { closeAccount, findAccount, insertAudit, lockAccount } from '../modules/accounts/index.ts'
import { erasePerson } from './person.ts'
import { PERSONAL, type Whose, erasedOf } from './personal.ts'
import type { Tables } from '../kernel/db.ts'

/** What money or a merchant still waits for: each is a count that must be none. */
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

/** What stands in the way of an erasure, in words. */
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
  /** Tells every instance that the account opens nothing any more: they remember keys for a while. */
  onClosed?: (() => void) | undefined
}

/**
 * Erases what tells of an account's people; what money needs stays under the id of the account, which opens nothing any more.
 * First the account is closed, so that nothing begins meanwhile; then table by table in steps. Whoever was interrupted calls it
 * again: what is done is done, and the address that mails are found by goes last.
 */
export async function eraseAccount(ctx: StoreCtx, { accountId, actor, signal, onClosed }: Erasure): Promise<void> {
  const email = await close(ctx, accountId, actor)
  onClosed?.()
  const whose: Whose = { accountId, email: email?.toLowerCase() }
  // Twice: a request that was inside when the account was closed may have written behind the first round.
  for (const table of [...Object.keys(PERSONAL), ...Object.keys(PERSONAL)]) {
    if (table !== 'accounts') await inSteps((limit) => eraseSome(ctx.db, table as keyof Tables, whose, limit), signal)
  }
  if (whose.email !== undefined) await erasePerson(ctx.db, { email: whose.email, emailHash: undefined }, signal)
  if (signal.aborted) return
  await inTx(ctx, async (tx) => {
    await eraseSome(tx.db, 'accounts', whose, STEP_ROWS)
    await insertAudit(tx, { actor, accountId, what: 'account.erased', detail: {} })
  })
}

/** Suspended, signed out and without keys, unless something is unfinished; answers its address. */
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

/** A step in one table: rows that are not as they will be. */
async function eraseSome(db: Db, table: keyof Tables, whose: Whose, limit: number): Promise<number> {
  const personal = PERSONAL[table]
  if ('nobody' in personal || personal.erase === 'keep') return 0
  const { key, erase } = personal
  if (erase === 'delete')
    return deleteSome(db, { from: table, key: key as readonly never[], where: erasedOf(personal, whose), limit })
  const columns = Object.entries(erase)
  const differs = columns.map(([column, to]) => sql`${sql.ref(column)} is distinct from ${to}`)
  const where = sql<boolean>`${personal.of(whose)} and (${sql.join(differs, sql` or `)})`
  const keys = sql.join(key.map((column) => sql.ref(column)))
  const set = sql.join(columns.map(([column, to]) => sql`${sql.ref(column)} = ${to}`))
  const { numAffectedRows = 0n } = await sql`update ${sql.table(table)} set ${set}
    where (${keys}) in (select ${keys} from ${sql.table(table)} where ${where} limit ${sql.lit(limit)}) and ${where}`.execute(
    db,
  )
  return Number(numAffectedRows)
}
