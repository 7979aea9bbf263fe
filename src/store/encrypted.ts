import { sql } from 'kysely'
import { INFRA_ENCRYPTED } from '../infra/db/tables.ts'
import { type SecretKeys, isEncrypted } from '../infra/secrets/secret-key.ts'
import type { Db } from '../kernel/db.ts'
import type { EncryptionContext, EncryptedColumns } from '../kernel/encrypted.ts'
import { ACCOUNT_ENCRYPTED } from '../modules/accounts/tables.ts'
import { checkoutSecretContext } from '../modules/checkout/index.ts'
import { EMAIL_ENCRYPTED } from '../modules/email/tables.ts'
import { LINK_ENCRYPTED } from '../modules/links/tables.ts'
import { POS_ENCRYPTED } from '../modules/pos/tables.ts'
import { WEBHOOK_ENCRYPTED } from '../modules/webhooks/tables.ts'

/** Every column with encrypted texts. A test compares it with what declares one. */
export const ENCRYPTED = [
  ...INFRA_ENCRYPTED,
  ...ACCOUNT_ENCRYPTED,
  ...WEBHOOK_ENCRYPTED,
  checkoutSecretContext,
  ...LINK_ENCRYPTED,
  ...POS_ENCRYPTED,
  ...EMAIL_ENCRYPTED,
] as readonly (EncryptedColumns & ((...key: string[]) => EncryptionContext))[]

const ROWS_AT_ONCE = 500
/** A pass that changes nothing is the last one. More than a few are needed only while gateways encrypt with another key. */
const PASSES_MAX = 10

interface EncryptedText {
  context: EncryptionContext
  encrypted: string
  /** Replaces it by the same text under another key, unless another process has changed it. */
  replace(replacement: string): Promise<boolean>
}

/** Every encrypted text of the store, in small steps beside running gateways. */
export async function* listEncrypted(db: Db, limit = Infinity): AsyncGenerator<EncryptedText[] & { table: string }> {
  for (const place of ENCRYPTED) {
    let seen = 0
    for (let after: string[] | undefined = undefined; ;) {
      const rows = await readRows(db, place, after)
      const texts = rows.flatMap((row) => textsOf(db, place, row))
      if (texts.length > 0) yield Object.assign(texts, { table: place.table })
      seen += texts.length
      if (rows.length < ROWS_AT_ONCE || seen >= limit) break
      after = place.key.map((column) => rows.at(-1)![column]!)
    }
  }
}

type Row = Record<string, string | null>

async function readRows(db: Db, { table, columns, key }: EncryptedColumns, after: string[] | undefined) {
  const keys = sql.join(key.map((column) => sql.ref(column)))
  const held = sql.join(
    columns.map((column) => sql`${sql.ref(column)} is not null`),
    sql` or `,
  )
  const behind = after === undefined ? sql`true` : sql`(${keys}) > (${sql.join(after)})`
  const { rows } = await sql<Record<string, string>>`
    select ${keys}, ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table)}
    where ${behind} and (${held}) order by ${keys} limit ${sql.lit(ROWS_AT_ONCE)}`.execute(db)
  return rows
}

function textsOf(db: Db, place: (typeof ENCRYPTED)[number], row: Row): EncryptedText[] {
  const { table, columns, key, member } = place
  const values = key.map((column) => row[column]!)
  return columns.flatMap((column) => {
    const held = row[column]
    const around = member === undefined ? undefined : (JSON.parse(held ?? 'null') as Row | null)
    const encrypted = member === undefined ? held : around?.[member]
    if (!isEncrypted(encrypted)) return []
    const replace = async (text: string) => {
      const replacement = member === undefined ? text : JSON.stringify({ ...around, [member]: text })
      const own = sql.join(
        key.map((name, at) => sql`${sql.ref(name)} = ${values[at]}`),
        sql` and `,
      )
      const { numAffectedRows } = await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${replacement}
        where ${own} and ${sql.ref(column)} = ${held}`.execute(db)
      return numAffectedRows === 1n
    }
    return [{ context: place(...values), encrypted, replace }]
  })
}

export interface EncryptedCount {
  /** How many each key has encrypted, by its name. */
  byKey: Map<string, number>
  /** How many no key decrypts. */
  unreadable: number
}

export async function countEncrypted(db: Db, keys: SecretKeys): Promise<EncryptedCount> {
  const byKey = new Map(keys.names.map((name) => [name, 0]))
  let unreadable = 0
  for await (const texts of listEncrypted(db)) {
    for (const { context, encrypted } of texts) {
      const name = keys.encryptedWith(context, encrypted)
      if (name === undefined) unreadable++
      else byKey.set(name, byKey.get(name)! + 1)
    }
  }
  return { byKey, unreadable }
}

/**
 * Encrypts everything again with the first key. Each text is replaced on its own, and only if it is still the one that was read, so it
 * may be interrupted and repeated beside running gateways. Returns how many were encrypted again.
 */
export async function encryptAllAgain(
  db: Db,
  keys: SecretKeys,
  report: (table: string, encryptedAgain: number) => void,
): Promise<number> {
  const [first] = keys.names
  let total = 0
  for (let pass = 1; pass <= PASSES_MAX; pass++) {
    let old = 0
    for await (const texts of listEncrypted(db)) {
      const behind = texts.filter(
        ({ context, encrypted }) => ![first, undefined].includes(keys.encryptedWith(context, encrypted)),
      )
      old += behind.length
      const replaced = await Promise.all(
        behind.map(({ context, encrypted, replace }) => replace(keys.encrypt(context, keys.open(context, encrypted)))),
      )
      total += replaced.filter((done) => done).length
      report(texts.table, total)
    }
    // A transaction that had read a row before may have written it back: only a pass that finds nothing proves the end.
    if (old === 0) return total
  }
  throw new Error(
    'Some gateway goes on encrypting with another key. Give all gateways the same SECRET_KEYS, and repeat.',
  )
}
