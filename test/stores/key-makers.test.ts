import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openStore as openWith } from '../../src/infra/db/open.ts'
import { listKeys } from '../../src/modules/accounts/store.ts'
import { MIGRATIONS, openStore } from '../../src/store/schema.ts'
import { TestClock } from '../support/clock.ts'
import { ENGINES, freshUrl } from '../support/engines.ts'

/* Stores of 0.2 do not record who made a key, but their audit log does. */

const RELEASED = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0050'))
const DEVELOPERS = ['read', 'work', 'wallets:read', 'webhooks']

for (const engine of ENGINES) {
  // A developer's key made under 0.2 could send, and an upgrade must end that.
  test(`${engine}: after an upgrade keys are bounded by the maker that the audit names, those of former members by the role they had last, and all others are as they were`, async (t) => {
    const url = await freshUrl(t, engine)
    const old = await openWith(url, new TestClock(), { migrations: RELEASED })
    await old.db.insertInto('accounts').values({ id: 'acc_1', email: null, role: 'user', created_at: 1 }).execute()
    const member = (id: string, role: 'owner' | 'developer' | 'manager', ended_at: number | null) => ({
      ...{ id, account_id: 'acc_1', email: `${id}@example.com`, role, ended_at },
      ...{ invited_by: null, invited_at: 1, expires_at: null, joined_at: 1 },
    })
    const people = [member('mem_dora', 'developer', null), member('mem_gone', 'developer', 5)]
    const owners = [member('mem_ann', 'owner', null), member('mem_founder', 'owner', 5)]
    await old.db
      .insertInto('members')
      .values([...people, ...owners])
      .execute()
    const keys: [string, string, string?, string[]?][] = [
      ['key_dora', 'mem_dora'],
      ['key_of_key', 'acc_1', 'key_dora'],
      ['key_of_that', 'acc_1', 'key_of_key', ['read', 'refunds']],
      ['key_gone', 'mem_gone'],
      ['key_ann', 'mem_ann'],
      ['key_founder', 'mem_founder'],
      ['key_shell', 'command line'],
      ['key_orphan', 'acc_1', 'key_forgotten'],
    ]
    for (const [id, actor, by, scopes] of keys) {
      const stored = scopes === undefined ? null : JSON.stringify(scopes)
      await old.db
        .insertInto('api_keys')
        .values({
          ...{ id, account_id: 'acc_1', kind: 'secret', hash: id, start: 'rpc_sk_', name: id, origins: '[]' },
          ...{ created_at: 1, expires_at: null, revoked_at: null, last_used_at: null, scopes: stored, limits: null },
        })
        .execute()
      const detail = JSON.stringify({ keyId: id, kind: 'secret', name: id, ...(by !== undefined && { by }) })
      const entry = { id: `aud_${id}`, at: 1, actor, account_id: 'acc_1', what: 'key.issued', detail }
      await old.db.insertInto('audit_entries').values(entry).execute()
    }
    await old.close()

    const { db, close } = await openStore(url, new TestClock())
    t.after(close)
    const found = new Map((await listKeys(db, 'acc_1', 100)).map((key) => [key.id, key]))
    const rows = keys.map(([id]) => [id, found.get(id)!.scopes, found.get(id)!.madeBy] as const)
    assert.deepEqual(rows, [
      ['key_dora', DEVELOPERS, 'mem_dora'],
      ['key_of_key', DEVELOPERS, 'mem_dora'],
      ['key_of_that', ['read'], 'mem_dora'],
      ['key_gone', DEVELOPERS, null],
      ['key_ann', null, 'mem_ann'],
      ['key_founder', null, null],
      ['key_shell', null, null],
      ['key_orphan', null, null],
    ])
  })

  test(`${engine}: after an upgrade the open orders that a public key made are no more the shop's than new ones`, async (t) => {
    const url = await freshUrl(t, engine)
    const migrations = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0056'))
    const old = await openWith(url, new TestClock(), { migrations })
    await sql`insert into accounts (id, role, created_at) values ('acc_1', 'user', 1)`.execute(old.db)
    for (const kind of ['secret', 'public']) {
      await sql`insert into api_keys (id, account_id, kind, hash, start, name, origins, created_at)
        values (${`key_${kind}`}, 'acc_1', ${kind}, ${kind}, '', '', '[]', 1)`.execute(old.db)
    }
    for (const key of ['key_secret', 'key_public', 'lnk_1', null]) {
      await sql`insert into checkouts (id, owner, key_id, mode, status, additional_status, address, merchant_address, currency,
        paid_raw, plans, webhook_events, metadata, seq, created_at, expires_at, watched_until)
        values (${key ?? 'session'}, 'acc_1', ${key}, 'unique_amount', 'pending', 'none', 'nano_m', 'nano_m', 'NANO',
        '0', '[]', '[]', '{}', 1, 1, 1, 1)`.execute(old.db)
    }
    await old.close()
    const { db, close } = await openStore(url, new TestClock())
    t.after(close)
    const rows = await db
      .selectFrom('checkouts')
      .select(['id', 'made_with'])
      .where('made_with', 'is not', null)
      .execute()
    assert.deepEqual(rows, [{ id: 'key_public', made_with: 'public_key' }])
  })
}
