import { sql } from 'kysely'
import { INFRA_SEALED } from '../infra/db/tables.ts'
import { type SecretKeys, isSealed } from '../infra/secrets/secret-key.ts'
import type { Db } from '../kernel/db.ts'
import type { SealContext, SealedColumns } from '../kernel/sealed.ts'
import { ACCOUNT_SEALED } from '../modules/accounts/tables.ts'
import { checkoutSecretContext } from '../modules/checkout/index.ts'
import { EMAIL_SEALED } from '../modules/email/tables.ts'
import { LINK_SEALED } from '../modules/links/tables.ts'
import { POS_SEALED } from '../modules/pos/tables.ts'
import { WEBHOOK_SEALED } from '../modules/webhooks/tables.ts'

/** Every column with encrypted texts. A test compares it with what declares one. */
export const SEALED = [
  ...INFRA_SEALED,
  ...ACCOUNT_SEALED,
  ...WEBHOOK_SEALED,
  checkoutSecretContext,
  ...LINK_SEALED,
  ...POS_SEALED,
  ...EMAIL_SEALED,
] as readonly (SealedColumns & ((...key: string[]) => SealContext))[]

const ROWS_AT_ONCE = 500
/** A pass that changes nothing is the last one. More than a few are needed only while gateways encrypt with another key. */
const PASSES_MAX = 10

interface SealedText {
  context: SealContext
  sealed: string
  /** Replaces it by the same text under another key, unless another process has changed it. */
  replace(encrypted: string): Promise<boolean>
}

/** Every encrypted text of the store, in small steps beside running gateways. */
export async function* listSealed(db: Db, limit = Infinity): AsyncGenerator<SealedText[] & { table: string }> {
  for (const place of SEALED) {
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

async function readRows(db: Db, { table, columns, key }: SealedColumns, after: string[] | undefined) {
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

function textsOf(db: Db, place: (typeof SEALED)[number], row: Row): SealedText[] {
  const { table, columns, key, member } = place
  const values = key.map((column) => row[column]!)
  return columns.flatMap((column) => {
    const held = row[column]
    const around = member === undefined ? undefined : (JSON.parse(held ?? 'null') as Row | null)
    const sealed = member === undefined ? held : around?.[member]
    if (!isSealed(sealed)) return []
    const replace = async (text: string) => {
      const encrypted = member === undefined ? text : JSON.stringify({ ...around, [member]: text })
      const own = sql.join(
        key.map((name, at) => sql`${sql.ref(name)} = ${values[at]}`),
        sql` and `,
      )
      const { numAffectedRows } = await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${encrypted}
        where ${own} and ${sql.ref(column)} = ${held}`.execute(db)
      return numAffectedRows === 1n
    }
    return [{ context: place(...values), sealed, replace }]
  })
}

/** What is known of the encrypted texts of a store. */
export interface SealedCount {
  /** How many each key has encrypted, by its name. */
  byKey: Map<string, number>
  /** How many no key decrypts. */
  unreadable: number
}

export async function countSealed(db: Db, keys: SecretKeys): Promise<SealedCount> {
  const byKey = new Map(keys.names.map((name) => [name, 0]))
  let unreadable = 0
  for await (const texts of listSealed(db)) {
    for (const { context, sealed } of texts) {
      const name = keys.sealedWith(context, sealed)
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
export async function resealAll(
  db: Db,
  keys: SecretKeys,
  report: (table: string, resealed: number) => void,
): Promise<number> {
  const [first] = keys.names
  let total = 0
  for (let pass = 1; pass <= PASSES_MAX; pass++) {
    let old = 0
    for await (const texts of listSealed(db)) {
      const behind = texts.filter(
        ({ context, sealed }) => ![first, undefined].includes(keys.sealedWith(context, sealed)),
      )
      old += behind.length
      const replaced = await Promise.all(
        behind.map(({ context, sealed, replace }) => replace(keys.seal(context, keys.open(context, sealed)))),
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
