import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { columnOf, storedOf } from '../../src/kernel/resource/resource.ts'
import { ENTITIES } from '../../src/store/personal.ts'
import { MIGRATIONS, openStore } from '../../src/store/schema.ts'
import { createAccount, findAccount } from '../../src/modules/accounts/index.ts'
import { TestClock } from '../support/clock.ts'
import { ENGINES, fileOf, forEachEngine, freshUrl } from '../support/engines.ts'

const SRC = join(import.meta.dirname, '../../src')

/** The columns of declared resources, by table. */
const DECLARED = new Map(
  ENTITIES.map((entity) => [
    entity.table,
    new Map<string, string>([
      ...storedOf(entity).map(({ column, field }) => [column, field.column] as const),
      ...(entity.marksDeleted ? [['deleted_at', 'number | null'] as const] : []),
    ]),
  ]),
)

const SOURCES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?:tables|store|record|name)\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(SRC, file), 'utf8') }))

/** The SQL type of a column that is declared with its record, by the text of its declaration. */
function typeOfColumn(codec: string): string {
  const orNone = /^or(?:Null|Undefined)\((.*)\)$/.exec(codec)
  if (orNone) return `${typeOfColumn(orNone[1]!)} | null`
  return /^plain<(.*)>\(\)$/.exec(codec)?.[1] ?? (codec === 'flag()' ? 'number' : 'string')
}

/** The columns of `columns({ … })`, alone or combined with further ones. */
function columnsOf(text: string, name: string): [string, string][] {
  const body = new RegExp(`const ${name} = columns\\(\\{\\n([\\s\\S]*?)\\n\\}\\)`).exec(text)?.[1]
  assert.ok(body !== undefined, `${name} is declared`)
  const members = body.replaceAll(/^ *\/\*\*.*\*\/\n/gm, '').split(/,(?:\n|$)/)
  return members.filter(Boolean).map((line) => {
    const [, member, codec] = /^ *(\w+)(?:: ([\s\S]*))?$/.exec(line)!
    const named = /^named\('(\w+)', ([\s\S]*)\)$/.exec(codec ?? '')
    return [named?.[1] ?? columnOf(member!), typeOfColumn(named?.[2] ?? codec ?? '')]
  })
}

/** Other table types exist only at compile time, so they are read from the source: table → column → type. */
function readTableTypes(): Map<string, Map<string, string>> {
  const membersOf = (name: string) => {
    const of = new RegExp(
      `(?:interface ${name}(?: extends RowIn<typeof (\\w+)>)? \\{\\n([^}]*)\\}|type ${name} = RowIn<typeof (\\w+)>)`,
    )
    const [found] = SOURCES.flatMap(({ text }) => {
      const match = of.exec(text)
      return match ? [{ text, declared: match[1] ?? match[3], body: match[2] ?? '' }] : []
    })
    assert.ok(found, `${name} is declared`)
    const { text, declared, body } = found
    return new Map([
      ...(declared === undefined ? [] : columnsOf(text, declared)),
      ...[...body.matchAll(/^ {2}(\w+): (.+)$/gm)].map(([, member, type]) => [member!, type!] as const),
    ])
  }
  const sources = SOURCES.filter(({ file }) => basename(file) === 'tables.ts').map(({ text }) => text)
  const declared = sources.flatMap((text) => /interface Tables \{\n([\s\S]*?)\n {2}\}/.exec(text)![1]!)
  const columns = (body: string) =>
    new Map([...body.matchAll(/^ {6}(\w+): (.+)$/gm)].map(([, column, type]) => [column!, type!] as const))
  return new Map(
    [...declared.join('\n').matchAll(/^ {4}(\w+): (?:(\w+)|\{\n([\s\S]*?)\n {4}\})$/gm)].map(
      ([, table, type, body]) =>
        [table!, DECLARED.get(table!) ?? (type === undefined ? columns(body!) : membersOf(type))] as const,
    ),
  )
}

const NUMBERS = new Set(['integer', 'int8', 'int4'])

/** The migrations that released stores have applied: a renamed or removed one would be applied again. */
const APPLIED =
  `0001-accounts 0002-credits 0003-jobs 0004-free-uses 0005-works 0006-wallets 0007-webhooks 0008-checkouts 0009-x402 0010-reps 0011-swaps 0012-wallet-thaw 0013-wallet-block-order 0014-names 0015-email-payments 0016-faucet 0017-ended-sessions 0018-store-facts 0019-deeds 0020-checkout-looks 0021-unauthorized-orders 0022-prepared-works 0023-checkout-sums 0024-key-rights 0025-profiles 0026-payment-links 0027-refunds 0028-claim-links 0029-standing 0030-retention 0031-members 0032-webhook-endpoints 0033-points-of-sale 0034-address-watches 0035-passkeys 0036-invoices 0037-subscriptions 0038-name-pages 0039-requests 0040-wallet-waiting 0041-status 0042-level-questions 0043-lists-and-troubles 0044-send-purposes 0045-errands 0048-own-addresses 0050-key-makers 0053-wallet-looks 0054-refund-values 0055-paid-again 0056-made-with 0057-bound-keys 0058-payment-proofs 0059-void-blocks 0060-webhook-proofs 0061-send-freezes 0062-wallet-seeds 0063-restores 0065-shops 0066-pos-payout 0067-buyers 0068-pictures`.split(
    /\s+/,
  )

forEachEngine((engine, open) => {
  test('a reopened store finds its data and migrates nothing again', async (t) => {
    const { store, ctx, openAnother } = await open(t)
    const account = await createAccount(ctx, { email: 'Alice@example.com', role: 'user', actor: OPERATOR })
    await store.close()
    const again = await openAnother()
    assert.deepEqual(await findAccount(again.store.db, account.id), account)
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
      again.store.db,
    )
    assert.deepEqual(
      rows.map(({ name }) => name),
      APPLIED,
    )
  })

  // The first start of a cluster, or a command while a gateway starts.
  test('instances that open an empty store at once all find it ready', async (t) => {
    const url = await freshUrl(t, engine)
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(url, new TestClock())))
    for (const { db } of stores) assert.deepEqual(await db.selectFrom('jobs').selectAll().execute(), [])
    await Promise.all(stores.map((store) => store.close()))
  })

  test('a store written by a newer version is refused with a clear message', async (t) => {
    const { store, url } = await open(t)
    await sql`insert into kysely_migration (name, timestamp) values ('9999-future', '2030-01-01')`.execute(store.db)
    await store.close()
    await assert.rejects(openStore(url, new TestClock()), /written by a newer nano-gateway .* Update the gateway/)
  })

  test('table types agree with the schema, column by column', async (t) => {
    const { store } = await open(t)
    const tables = await store.db.introspection.getTables()
    const found = new Map(tables.map(({ name, columns }) => [name, columns]))
    const declared = readTableTypes()
    assert.deepEqual([...found.keys()].sort(), [...declared.keys()].sort())
    for (const [table, members] of declared) {
      const columns = found.get(table)!
      assert.deepEqual(columns.map(({ name }) => name).sort(), [...members.keys()].sort(), table)
      for (const { name, dataType, isNullable } of columns) {
        const type = members.get(name)!
        const what = `${table}.${name} is ${dataType}`
        assert.equal(isNullable, type.includes('null'), `${what}, declared ${type}`)
        assert.equal(NUMBERS.has(dataType.toLowerCase()), type.startsWith('number'), `${what}, declared ${type}`)
      }
    }
  })
})

test('a file that is no store is refused, and left as it is', async (t) => {
  const url = await freshUrl(t, 'sqlite')
  const text = 'A letter to my grandmother. '.repeat(500)
  writeFileSync(fileOf(url), text)
  await assert.rejects(openStore(url, new TestClock()), /not a database/)
  assert.equal(readFileSync(fileOf(url), 'utf8'), text)
})

test('a server that is not there is an error, not a wait', async () => {
  await assert.rejects(openStore('postgres://postgres@127.0.0.1:1/gone', new TestClock()), /ECONNREFUSED/)
})

// Otherwise a crash half way would leave a store that can never be opened again.
for (const engine of ENGINES) {
  test(`${engine}: a migration that fails leaves nothing behind`, async (t) => {
    const url = await freshUrl(t, engine)
    const last = Object.keys(MIGRATIONS).at(-1)!
    const up = MIGRATIONS[last]!
    MIGRATIONS[last] = async (db, on) => {
      await up(db, on)
      throw new Error('power cut')
    }
    try {
      await assert.rejects(openStore(url, new TestClock()), /could not be brought up to date: power cut/)
    } finally {
      MIGRATIONS[last] = up
    }
    const store = await openStore(url, new TestClock())
    assert.deepEqual(await store.db.selectFrom('idempotency').selectAll().execute(), [])
    await store.close()
  })
}
