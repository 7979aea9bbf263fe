import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openStore as openWith } from '../../src/infra/db/open.ts'
import { findPayees } from '../../src/modules/wallets/index.ts'
import { MIGRATIONS, openStore } from '../../src/store/schema.ts'
import { TestClock } from '../support/clock.ts'
import { forEachEngine, freshUrl } from '../support/engines.ts'

const OLD = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0044'))

/** Sends written by 0.2: hash, account, plan, reference, and whom they may pay. */
const SENDS = [
  ['FORWARD', null, 'wpl_1', 'sweep:wal_1:1:0', 'nobody'],
  ['FEE', null, null, 'payment:email-fee:1', 'nobody'],
  ['CLAIM', null, null, 'payment:email-claim:emr_1', 'everybody'],
  ['REFUND', 'acc_shop', null, 'refund:rfd_1', { everybodyBut: 'acc_shop' }],
  ['SEND', 'acc_shop', null, 'acc_shop:key', 'everybody'],
  ['UNNAMED', 'acc_shop', null, null, 'everybody'],
] as const

forEachEngine((engine) => {
  test('a merchant who comes from 0.2 finds no forward, fee or own refund among payments without a sale', async (t) => {
    const url = await freshUrl(t, engine)
    const old = await openWith(url, new TestClock(), { migrations: OLD })
    await sql`insert into wallets (id, purpose, address, status, frontier, balance_raw, lease_until, fence, looked_at, created_at)
      values ('wal_1', 'checkout', 'nano_w', 'deleted', '0', '0', 0, 0, 0, 1)`.execute(old.db)
    await sql`insert into wallet_plans (id, wallet_id, run, frontier, total_raw, status, created_at)
      values ('wpl_1', 'wal_1', 1, '0', '1', 'done', 1)`.execute(old.db)
    const pay = (owner: string, hash: string, kind: string) =>
      sql`insert into checkout_payments (owner, block_hash, kind, address, payer, amount_raw, at, created_at)
        values (${owner}, ${hash}, ${kind}, 'nano_m', 'nano_w', '1', 1, 1)`.execute(old.db)
    for (const [at, [hash, account, plan, reference]] of SENDS.entries()) {
      await sql`insert into wallet_blocks (id, wallet_id, account_id, kind, status, destination, amount_raw, sends_all, sequence,
        plan_id, position, reference, previous, hash, created_at) values (${hash}, 'wal_1', ${account}, 'send', 'confirmed', 'nano_m',
        '1', 0, ${at}, ${plan}, 0, ${reference}, ${hash}, ${hash}, 1)`.execute(old.db)
      await pay('acc_shop', hash, 'unmatched')
      await pay('acc_other', hash, 'unmatched')
    }
    await sql`insert into x402_payments (block_hash, block_json, network, payer, previous, amount_raw, pay_to, action,
      body_fingerprint, state, fence, created_at, updated_at)
      values ('REQUEST', '{}', 'n', 'p', '0', '1', 'nano_m', 'a', 'f', 'served', 1, 1, 1)`.execute(old.db)
    await pay('service', 'REQUEST', 'unmatched')
    await pay('acc_shop', 'CUSTOMER', 'unmatched')
    await pay('acc_third', 'FORWARD', 'counted')
    await old.close()
    const { db, close } = await openStore(url, new TestClock())
    t.after(() => close())
    const rows = await db.selectFrom('checkout_payments').select(['owner', 'block_hash', 'kind']).execute()
    const left = rows.map(({ owner, block_hash: hash, kind }) => `${hash} ${owner} ${kind}`).sort()
    assert.deepEqual(left, [
      'CLAIM acc_other unmatched',
      'CLAIM acc_shop unmatched',
      'CUSTOMER acc_shop unmatched',
      'FORWARD acc_third counted',
      'REFUND acc_other unmatched',
      'SEND acc_other unmatched',
      'SEND acc_shop unmatched',
      'UNNAMED acc_other unmatched',
      'UNNAMED acc_shop unmatched',
    ])
    for (const [hash, , , , payees] of SENDS) assert.deepEqual(await findPayees(db, hash), payees, hash)
    assert.equal(await findPayees(db, 'CUSTOMER'), 'everybody')
  })
})
