import assert from 'node:assert/strict'
import type { Raw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { signHash } from '../../src/kernel/nano/keys.ts'
import { Signer, UNOPENED } from '../support/blocks.ts'
import { test } from 'node:test'
import { askNode } from '../../src/infra/http/post-json.ts'
import { verifyStore } from '../../src/store/verify.ts'
import { forEachEngine } from '../support/engines.ts'
import { openRefundShop } from '../support/refund-steps.ts'

forEachEngine((engine) => {
  test('an operator learns of every sum, payment, block and wallet that the ledger does not have as the store says, and of nothing else', async (t) => {
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

  test('an operator whose customer paid with an old wallet gets no report that the ledger disagrees', async (t) => {
    const { world, shop, sell } = await openRefundShop(t, engine)
    await sell()
    const payment = await shop.ctx.db.selectFrom('checkout_payments').selectAll().executeTakeFirstOrThrow()
    const url = new URL(world.ledger.rpcUrl)
    const payer = new Signer(77)
    const before = payer.receive(UNOPENED, 'A'.repeat(64), BigInt(payment.amount_raw) + 5n)
    /** The payment as if made by a legacy send block. */
    const verifyOld = async (destination: string) => {
      const balance = 5n as Raw
      const draft = {
        type: 'send' as const,
        previous: hashBlock(before),
        destination: fromAddress(destination)!,
        balance,
      }
      const hash = hashBlock({ ...draft, signature: '', work: '' })
      const old = { ...draft, signature: signHash(payer.privateKey, hash), work: '0'.repeat(16) }
      const paid = { block_hash: hash, payer: payer.address }
      await shop.ctx.db.updateTable('checkout_payments').set(paid).execute()
      return verifyStore(shop.ctx.db, async (action, fields) => {
        if (action !== 'blocks_info') return askNode(url, action, fields)
        const told = { confirmed: 'true', block_account: payer.address }
        const blocks = {
          [hash]: { ...told, contents: toBlockJson(old) },
          [old.previous]: { contents: toBlockJson(before) },
        }
        const { hashes } = fields as { hashes: string[] }
        const known = Object.entries(blocks).filter(([one]) => hashes.includes(one))
        return known.length > 0 ? { blocks: Object.fromEntries(known) } : askNode(url, action, fields)
      })
    }
    assert.deepEqual((await verifyOld(payment.address)).disagreements, [])
    const [wrong] = (await verifyOld(payer.address)).disagreements
    assert.match(`${wrong?.about} ${wrong?.what}`, /^payment address is /)
  })
})
