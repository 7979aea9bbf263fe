import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { Signer } from '../support/blocks.ts'
import { openWorld, turnUntil } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { bearer } from '../support/gateway.ts'
import { openRefundShop } from '../support/refund-steps.ts'

/* Contract 4.2 and 4.4: unusable wallets are not made, and ended wallets do not delay others. */

const ADDRESS = new Signer(41).address
const DAY = 86_400_000

forEachEngine((engine) => {
  test('a request that is refused for its spending limit leaves no wallet behind, by mail or as a refund link (contract 5, rule 26)', async (t) => {
    const { shop, merchant, sell } = await openRefundShop(t, engine)
    const sold = await sell()
    const limited = { name: 'till', scopes: ['email', 'refunds', 'checkout'], spend_daily_nano: '0.5' }
    const made = await shop.rest('POST', '/api/keys', merchant.key, limited)
    assert.equal(made.status, 201, made.text)
    const { key } = made.json<{ key: string }>()
    const { db } = shop.app.store
    const wallets = async () => (await db.selectFrom('wallets').select('id').execute()).length
    const before = await wallets()
    const payment = { refund_address: ADDRESS, amount: '1', emails: ['carol@example.com'] }
    for (let times = 0; times < 5; times++) {
      const refused = await shop.call('nano_email', payment, bearer(key))
      assert.deepEqual([refused.status, refused.json().code], [403, 'spending_limit'])
    }
    const link = await shop.rest('POST', `/api/checkouts/${sold.id}/refunds`, key, { amount: '1', as: 'link' })
    assert.deepEqual([link.status, link.json().code], [403, 'spending_limit'])
    assert.equal(await wallets(), before)
    const paid = await shop.call('nano_email', { ...payment, amount: '0.25' }, bearer(key))
    assert.equal(paid.status, 200, paid.text)
    assert.equal(await wallets(), before + 1)
  })

  test('a missed deposit waited ten minutes where 9,000 wallets had ended: a wallet in use is looked at in every round', async (t) => {
    const world = await openWorld(t, engine)
    const gateway = await world.start()
    const { key } = await gateway.join()
    const created = await gateway.call('cloud_wallet', { wallet_action: 'create_wallet' }, bearer(key))
    const { address } = created.json<{ address: string }>()
    const { db } = gateway.app.store
    const living = db.selectFrom('wallets').selectAll().where('address', '=', address)
    const row = await living.executeTakeFirstOrThrow()
    const now = world.clock.now()
    const over = { status: 'ended', ended_at: now - 100 * DAY, looked_at: 1 } as const
    const rows = Array.from({ length: 9_000 }, (_, at) => {
      const address = toAddress((at + 1).toString(16).padStart(64, '0'))
      return { ...row, ...over, id: `wal_over${at}`, address }
    })
    await db.transaction().execute(async (tx) => {
      for (let at = 0; at < rows.length; at += 500) {
        await tx
          .insertInto('wallets')
          .values(rows.slice(at, at + 500))
          .execute()
      }
    })
    const ended = db.selectFrom('wallets').where('id', 'like', 'wal_over%')
    const looked = async () => {
      const asked = ended.where('looked_at', '>', 1).select(({ fn }) => fn.countAll().as('count'))
      return Number((await asked.executeTakeFirstOrThrow()).count)
    }
    await turnUntil(world, 5_000, async () => (await looked()) > 0)
    const { looked_at: first } = await living.executeTakeFirstOrThrow()
    assert.ok((await looked()) <= 1_000, 'one round')
    assert.ok(first >= now + 60_000 && first <= world.clock.now(), 'the wallet that lives was in it')
    // Wallets that ended long ago are checked again a day later.
    const next = await ended.where('looked_at', '>', 1).select('looked_at').executeTakeFirstOrThrow()
    assert.ok(next.looked_at >= first + DAY)
  })
})
