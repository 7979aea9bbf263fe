import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { replaceFact } from '../../src/infra/db/facts.ts'
import { SecretKeys, openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import type { Db } from '../../src/kernel/db.ts'
import { ENCRYPTED, countEncrypted, encryptAllAgain } from '../../src/store/encrypted.ts'
import { openSecrets } from '../../src/store/secrets.ts'
import { forEachEngine } from '../support/engines.ts'
import { fill } from '../support/filled-store.ts'
import { openFolder } from '../support/folder.ts'
import { testRandom } from '../support/random.ts'

/* A leaked key is replaced, and everything it encrypted stays readable. */

const root = resolve(import.meta.dirname, '../..')
const older = testRandom.bytes(32)
const newer = testRandom.bytes(32)
const quiet = () => {}

// Encryption needs a context, which only `encryptedIn` makes. A column missing here would become unreadable with the old key.
test('every place that holds encrypted texts is encrypted again', () => {
  const declared = globSync('src/**/*.ts', { cwd: root })
    .map((file) => readFileSync(resolve(root, file), 'utf8').match(/ = encryptedIn\(/g)?.length ?? 0)
    .reduce((sum, count) => sum + count, 0)
  assert.equal(ENCRYPTED.length, declared)
})

type Rows = Record<string, string | null>[]
const read = async (db: Db, table: string) =>
  (await sql<Rows[number]>`select * from ${sql.table(table)}`.execute(db)).rows

/** Puts text encrypted with `box` into every encrypted column of every row. */
async function sealEverything(db: Db, box: SecretKeys): Promise<number> {
  let texts = 0
  for (const place of ENCRYPTED) {
    const { table, columns, key, member } = place
    const rows = (await read(db, table)).filter((row) => table !== 'store_facts' || row.name !== 'ledger')
    assert.ok(rows.length > 0, `no row in ${table}`)
    for (const row of rows) {
      const values = key.map((name) => row[name]!)
      const own = sql.join(
        key.map((name, at) => sql`${sql.ref(name)} = ${values[at]}`),
        sql` and `,
      )
      for (const column of columns) {
        const encrypted = box.encrypt(place(...values), `${table} ${column} ${values.join()}`)
        const text = member === undefined ? encrypted : JSON.stringify({ [member]: encrypted })
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${text} where ${own}`.execute(db)
        texts++
      }
    }
  }
  return texts
}

/** Decrypts every encrypted column with these keys, and reads everything else in the same tables. */
async function readEverything(db: Db, box: SecretKeys) {
  const said: unknown[] = []
  for (const place of ENCRYPTED) {
    const { table, columns, key, member } = place
    for (const row of await read(db, table)) {
      const values = key.map((name) => row[name]!)
      const opened = columns.flatMap((column) => {
        const text = member === undefined ? row[column] : (JSON.parse(row[column] ?? 'null') as Rows[number])?.[member]
        return text?.startsWith('v1.') ? [box.open(place(...values), text)] : []
      })
      const others = Object.fromEntries(
        Object.entries(row).filter(
          ([name]) => !ENCRYPTED.some((each) => each.table === table && each.columns.includes(name)),
        ),
      )
      said.push({ table, opened, others })
    }
  }
  return said
    .map((each) => JSON.stringify(each, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)))
    .sort()
}

forEachEngine((engine, openFreshStore) => {
  test('a key is rotated, the rotation is killed and repeated: every encrypted column opens with the new key alone', async (t) => {
    const { ctx } = await openFreshStore(t)
    const { db, clock } = ctx
    await fill(ctx)
    const once = {
      account_id: 'acc_1',
      key: 'k',
      fingerprint: 'f',
      answer: null,
      claim: null,
      lease_until: null,
      made: null,
    }
    const kept = { ...once, status: 'finished', created_at: 1, expires_at: 2 ** 41 } as const
    await db
      .insertInto('idempotency')
      .values([
        { ...kept, action: 'send' },
        { ...kept, action: 'checkout' },
      ])
      .execute()
    for (const name of ['secret-key', 'fingerprint-key'] as const)
      await replaceFact(db, { name, value: '', now: clock.now() })
    const texts = await sealEverything(db, openSecretBox(older, testRandom))
    const before = await readEverything(db, openSecretBox(older, testRandom))

    const both = new SecretKeys(() => [newer, older], testRandom)
    const killed = (table: string) => {
      if (table === 'checkouts') throw new Error('Killed.')
    }
    await assert.rejects(encryptAllAgain(db, both, killed), /Killed/)
    const between = await countEncrypted(db, both)
    const [fresh, old] = both.names.map((name) => between.byKey.get(name)!)
    assert.ok(fresh! > 0 && old! > 0, `${fresh} of ${texts}`)
    assert.equal(texts, fresh! + old!)
    assert.deepEqual(await readEverything(db, both), before, 'meanwhile a gateway with both keys reads everything')
    assert.equal(await encryptAllAgain(db, both, quiet), old)
    assert.deepEqual(await readEverything(db, openSecretBox(newer, testRandom)), before)
    assert.equal(await encryptAllAgain(db, both, quiet), 0)
  })

  test('a text that no key decrypts is left as it is, and counted; one that a gateway changes meanwhile keeps the change', async (t) => {
    const { db } = (await openFreshStore(t)).ctx
    const [box, both] = [openSecretBox(older, testRandom), new SecretKeys(() => [newer, older], testRandom)]
    const context = ENCRYPTED.find(({ table }) => table === 'session_secrets')!
    const encrypted = (id: string, text: string) => box.encrypt(context(id), text)
    const row = (id: string, secret: string) => ({ id, secret, created_at: 1 })
    const rows = [row('ses_1', encrypted('ses_1', 'before')), row('ses_2', 'v1.AAAA')]
    await db.insertInto('session_secrets').values(rows).execute()
    let changed = false
    const meanwhile: typeof both.encrypt = (...of) => {
      if (!changed)
        void db
          .updateTable('session_secrets')
          .set({ secret: encrypted('ses_1', 'after') })
          .where('id', '=', 'ses_1')
          .execute()
      changed = true
      return SecretKeys.prototype.encrypt.apply(both, of)
    }
    await encryptAllAgain(db, Object.assign(both, { encrypt: meanwhile }), quiet)
    const { secret } = await db
      .selectFrom('session_secrets')
      .select('secret')
      .where('id', '=', 'ses_1')
      .executeTakeFirstOrThrow()
    assert.equal(openSecretBox(newer, testRandom).open(context('ses_1'), secret), 'after')
    assert.deepEqual(await countEncrypted(db, both), {
      byKey: new Map([
        [both.names[0], 1],
        [both.names[1], 0],
      ]),
      unreadable: 1,
    })
  })

  test('who wanted no mail would be mailed again after a rotation: fingerprints stay the same', async (t) => {
    const { ctx } = await openFreshStore(t)
    const config = (...secretKeys: Uint8Array[]) => ({
      secretKey: undefined,
      secretKeys,
      dataDir: openFolder(t),
      databaseUrl: '',
    })
    const printWith = async (...keys: Uint8Array[]) =>
      (await openSecrets(config(...keys), ctx)).fingerprint('email', 'alice@example.com')
    const before = openSecretBox(older, testRandom).fingerprint('email', 'alice@example.com')
    await ctx.db
      .insertInto('store_facts')
      .values({
        name: 'secret-key',
        value: openSecretBox(older, testRandom).encrypt(
          ENCRYPTED.find(({ table }) => table === 'store_facts')!('secret-key'),
          'nano-gateway',
        ),
        created_at: 1,
      })
      .execute()
    assert.equal(
      await printWith(newer, older),
      before,
      'a store of the previous version, opened with a new key at once',
    )
    const both = await openSecrets(config(newer, older), ctx)
    await encryptAllAgain(ctx.db, both, quiet)
    assert.equal(await printWith(newer), before)
    await assert.rejects(printWith(older), /SECRET_KEYS is not the key that encrypted the secrets of this store/)
  })
})
