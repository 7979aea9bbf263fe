import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askNode } from '../../src/infra/http/ask-node.ts'
import { verifyStore } from '../../src/store/verify.ts'
import { forEachEngine } from '../support/engines.ts'
import { openRefundShop } from '../support/refund-steps.ts'

forEachEngine((engine) => {
  test('an operator is told of every sum, payment, block and wallet that the ledger does not have as the store says, and of nothing else', async (t) => {
    const { world, shop, sell, refund, untilRefund } = await openRefundShop(t, engine)
    const made = await sell()
    await refund(made.id)
    await untilRefund(made.id, 'sent')
    const { db } = shop.ctx
    const url = new URL(world.ledger.rpcUrl)
    const verify = () => verifyStore(db, (action, fields) => askNode(url, action, fields))
    const { disagreements, looked } = await verify()
    assert.deepEqual(disagreements, [])
    const { payment: payments, checkout, wallet: wallets, block: blocks } = looked
    assert.ok(Math.min(payments, checkout, wallets, blocks) > 0, JSON.stringify(looked))

    const payment = await db.selectFrom('checkout_payments').selectAll().executeTakeFirstOrThrow()
    const confirmed = db.selectFrom('wallet_blocks').selectAll().where('status', '=', 'confirmed')
    const block = await confirmed.executeTakeFirstOrThrow()
    const wallet = await db.selectFrom('wallets').selectAll().executeTakeFirstOrThrow()
    await db.updateTable('checkouts').set({ paid_raw: '5' }).where('id', '=', made.id).execute()
    const change = (to: { payer: string } | { block_hash: string }) =>
      db.updateTable('checkout_payments').set(to).where('block_hash', '=', payment.block_hash).execute()
    await change({ payer: payment.address })
    await db.updateTable('wallet_blocks').set({ balance_raw: '7' }).where('id', '=', block.id).execute()
    await db.updateTable('wallets').set({ balance_raw: '9' }).where('id', '=', wallet.id).execute()
    const { account_id } = await db.selectFrom('api_keys').select('account_id').executeTakeFirstOrThrow()
    await db
      .insertInto('credit_balances')
      .values({ account_id, available: 3 })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ available: 3 }))
      .execute()
    const found = (await verify()).disagreements
    assert.deepEqual(found.map(({ about, id }) => [about, id]).sort(), [
      ['block', block.id],
      ['checkout', made.id],
      ['credits', account_id],
      ['payment', payment.block_hash],
      ['wallet', wallet.id],
    ])
    await change({ block_hash: 'A'.repeat(64) })
    const gone = (await verify()).disagreements.find(({ about }) => about === 'payment')
    assert.deepEqual([gone?.id, gone?.what], ['A'.repeat(64), 'is not on the ledger'])
  })

  test('an operator whose customer paid with an old wallet is not told that the ledger disagrees', async (t) => {
    const { world, shop, sell } = await openRefundShop(t, engine)
    await sell()
    const payment = await shop.ctx.db.selectFrom('checkout_payments').selectAll().executeTakeFirstOrThrow()
    const url = new URL(world.ledger.rpcUrl)
    /** The payment as a node tells of a send of the old kind. */
    const verifyOld = (destination: string) =>
      verifyStore(shop.ctx.db, async (action, fields) => {
        const answer = await askNode(url, action, fields)
        const told = (answer as { blocks?: Record<string, { contents: object }> }).blocks?.[payment.block_hash]
        if (told) told.contents = { type: 'send', previous: 'A'.repeat(64), destination, balance: '0', work: '0' }
        return answer
      })
    assert.deepEqual((await verifyOld(payment.address)).disagreements, [])
    const [wrong] = (await verifyOld(payment.payer)).disagreements
    assert.deepEqual([wrong?.about, wrong?.id], ['payment', payment.block_hash])
  })
})
