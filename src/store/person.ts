import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../kernel/db.ts'
import { deleteSome, inSteps } from '../kernel/retention.ts'
import { type ExportedRow, exportAccount } from './export-account.ts'
import { PERSONAL, type Personal, erasedOf } from './personal.ts'
import type { Tables } from '../kernel/db.ts'

/** Somebody who is known by a mail address. */
export interface Person {
  /** In small letters. */
  email: string
  /** How payments by email know the mailbox; undefined where they are left alone. */
  emailHash: string | undefined
}

/** Where others have named a person by a mail address, beside what `PERSONAL` has by that address. */
interface Named {
  table: keyof Tables
  key: string
  where(person: Person): RawBuilder<boolean>
  /** What is shown of it: the rest is of whoever named them. */
  shown: readonly string[]
  blank: RawBuilder<unknown>
}

const NAMED: readonly Named[] = [
  {
    table: 'checkouts',
    key: 'id',
    // Of those that are over: a merchant who is to be told of a payment is told of it.
    where: ({ email }) =>
      sql`notify is not null and lower(notify) = ${email} and status in ('complete', 'expired', 'cancelled')
      and (status <> 'complete' or notified_at is not null)`,
    shown: ['notify', 'created_at'],
    blank: sql`notify = null`,
  },
  {
    table: 'service_orders',
    key: 'checkout_id',
    where: ({ email }) =>
      sql`subject = ${email} and exists (select 1 from checkouts where checkouts.id = service_orders.checkout_id
      and checkouts.status in ('complete', 'expired', 'cancelled'))`,
    shown: ['kind', 'subject', 'created_at'],
    blank: sql`subject = 'erased'`,
  },
  {
    table: 'service_payments',
    key: 'block_hash',
    where: ({ email }) => sql`subject = ${email} and outcome in ('applied', 'refunded')`,
    shown: ['kind', 'subject', 'outcome', 'created_at'],
    blank: sql`subject = 'erased'`,
  },
  {
    table: 'subscriptions',
    key: 'id',
    // Whoever is to be reminded ends that by the link in the mail, and is taken out then.
    where: ({ email }) => sql`lower(email) = ${email} and status in ('lapsed', 'ended')`,
    shown: ['email', 'status', 'plan', 'created_at', 'paid_until'],
    blank: sql`email = null`,
  },
  {
    table: 'members',
    key: 'id',
    // Who belongs to an account is taken out of it by its own people.
    where: ({ email }) => sql`email = ${email} and ended_at is not null`,
    shown: ['role', 'invited_at', 'joined_at', 'ended_at'],
    blank: sql`email = 'erased'`,
  },
  {
    table: 'email_recipients',
    key: 'id',
    // As long as a share can be claimed, its recipient is told of it and counted.
    where: ({ emailHash }) =>
      emailHash === undefined ? sql`1 = 0` : sql`email_hash = ${emailHash} and status in ('claimed', 'refunded')`,
    shown: ['amount_raw', 'status', 'sent_at', 'claim_address'],
    blank: sql`email = null, email_hash = null`,
  },
]

/** Who has no account is known by a mail address alone. */
const NO_ACCOUNT = ''
const SHOWN_MAX = 10_000
const PERSON_TABLES = ['sign_in_links', 'jobs', 'mails', 'passkeys', 'recovery_codes'] as const

/** What the store knows about whoever has a mail address, beside an account of theirs. */
export async function* exportPerson(db: Db, person: Person): AsyncGenerator<ExportedRow> {
  yield* exportAccount(db, { accountId: NO_ACCOUNT, email: person.email })
  for (const { table, where, shown } of NAMED) {
    const columns = sql.join(shown.map((column) => sql.ref(column)))
    const { rows } = await sql<Record<string, unknown>>`select ${columns} from ${sql.table(table)}
      where ${where(person)} limit ${SHOWN_MAX}`.execute(db)
    for (const row of rows) yield { table, row }
  }
}

/** Takes a mail address out of what others have written, where nothing waits for it any more. In small letters. */
export async function erasePerson(db: Db, person: Person, signal: AbortSignal): Promise<void> {
  for (const table of PERSON_TABLES) {
    const personal = PERSONAL[table] as Personal<typeof table>
    const where = erasedOf(personal, { accountId: NO_ACCOUNT, email: person.email })
    await inSteps((limit) => deleteSome(db, { from: table, key: personal.key, where, limit }), signal)
  }
  for (const { table, key, where, blank } of NAMED) {
    await inSteps(async (limit) => {
      const { numAffectedRows = 0n } = await sql`update ${sql.table(table)} set ${blank}
        where ${sql.ref(key)} in (select ${sql.ref(key)} from ${sql.table(table)} where ${where(person)} limit ${limit})
          and ${where(person)}`.execute(db)
      return Number(numAffectedRows)
    }, signal)
  }
}
