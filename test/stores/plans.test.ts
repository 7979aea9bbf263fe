import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { listSumming } from '../../src/modules/checkout/claims-store.ts'
import { countOwed } from '../../src/modules/wallets/outbox-store.ts'
import { readUnfinished } from '../../src/modules/wallets/unfinished-store.ts'
import { forEachEngine } from '../support/engines.ts'
import { type Known, HOT, SORTED, SORTING, TABLE_SCAN, explain, statementsOf } from '../support/hot-queries.ts'

/* A store grows for years. Queries of every request, payment or job run must use an index, so that they do not slow down. */

const IDS = { accountId: 'a', checkoutId: 'c', keyId: 'k', walletId: 'w', linkId: 'l', posId: 'p', eventId: 'e' }
const KNOWN: Known = { ...IDS, address: 'n', now: 1_000, limit: 10 }

forEachEngine((engine, openFresh) => {
  test('every query of requests, payments and rounds uses an index', async (t) => {
    const { ctx } = await openFresh(t)
    const slow: string[] = []
    for (const [what, ask] of Object.entries({ ...HOT, ...SORTED })) {
      const statements = await statementsOf(ctx.db, (db) => ask(db, engine, KNOWN))
      assert.ok(statements.length > 0, what)
      for (const statement of statements) {
        const plan = await explain(ctx.db, engine, statement)
        const scans = plan.filter((line) => TABLE_SCAN.test(line.trim()))
        if (what in SORTED && engine === 'sqlite' && plan.some((line) => SORTING.test(line)))
          slow.push(`${what}: sorts`)
        if (scans.length > 0) slow.push(`${what}: ${scans.join('; ')}`)
        // SQLite would prepare it again for each value.
        if (/limit \?/.test(statement.sql)) slow.push(`${what}: its limit is bound`)
      }
    }
    assert.deepEqual(slow, [])
  })

  // A wallet keeps all its blocks, and these queries run at each step of a send.
  test('unfinished blocks of a wallet are found without reading its other blocks', async (t) => {
    const { ctx } = await openFresh(t)
    for (const ask of [readUnfinished, countOwed]) {
      const [statement] = await statementsOf(ctx.db, (db) => ask(db, 'w'))
      const plan = await explain(ctx.db, engine, statement!)
      const indexes = plan.flatMap((line) => /(?:INDEX|using) (wallet_blocks_\w+)/.exec(line)?.[1] ?? [])
      assert.ok(indexes.includes('wallet_blocks_queued'), plan.join('\n'))
      assert.ok(!indexes.includes('wallet_blocks_sequence'), plan.join('\n'))
    }
  })

  // A shop with a single payment address has thousands of open checkouts there, each with a unique amount.
  test('a payment was slow where many others waited at the same address: summing checkouts are found without reading those', async (t) => {
    const { ctx } = await openFresh(t)
    if (engine === 'sqlite') {
      // Statistics as with a million checkouts: the index of open ones looks equally good, because most addresses have few.
      await sql`analyze`.execute(ctx.db)
      for (const [index, stat] of [
        ['checkouts_open', '3190 2 2 1'],
        ['checkouts_summing_address', '100000 2'],
      ])
        await sql`insert into sqlite_stat1 (tbl, idx, stat) values ('checkouts', ${index}, ${stat})`.execute(ctx.db)
      await sql`analyze sqlite_master`.execute(ctx.db)
    }
    const [statement] = await statementsOf(ctx.db, (db) => listSumming(db, { address: 'n', now: 1 }))
    const plan = await explain(ctx.db, engine, statement!)
    const indexes = plan.flatMap((line) => /(?:INDEX|using) (checkouts_\w+)/.exec(line)?.[1] ?? [])
    // Whether another order used the address is looked up by owner, and the first match is enough.
    assert.deepEqual(new Set(indexes), new Set(['checkouts_summing_address', 'checkouts_used']), plan.join('\n'))
    assert.equal(indexes.filter((name) => name === 'checkouts_used').length, 1, plan.join('\n'))
  })

  test('a query without an index is reported', async (t) => {
    const { ctx } = await openFresh(t)
    const [statement] = await statementsOf(ctx.db, (db) =>
      db.selectFrom('checkouts').select('id').where('note', '=', 'x').execute(),
    )
    const plan = await explain(ctx.db, engine, statement!)
    assert.ok(
      plan.some((line) => TABLE_SCAN.test(line.trim())),
      plan.join('\n'),
    )
  })
})
