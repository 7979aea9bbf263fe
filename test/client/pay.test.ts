import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Budget, GatewayError, createGateway, raw } from '../../src/client/index.ts'
import { fromBlockJson } from '../../src/kernel/nano/block.ts'
import { WORK_THRESHOLDS, workValue } from '../../src/kernel/nano/work.ts'
import { publish } from '../support/blocks.ts'
import { lose, watchedFetch } from '../support/client-steps.ts'
import { newHash } from '../support/random.ts'
import { PRICE, SHOP, decode, openPayer, openShop, paymentsOnLedger } from '../support/x402-steps.ts'

/* Paid calls within a budget, with a record of what each was for (contract 4.7). */

async function openBuyer(t: Parameters<typeof openShop>[0], budget: Budget, watched = watchedFetch()) {
  const shop = await openShop(t)
  const { privateKey } = await openPayer(shop.node)
  const gateway = createGateway({ url: shop.url, fetch: watched.fetch, pay: { key: privateKey, budget } })
  return { ...shop, gateway, watched, privateKey }
}

test('a program without a key buys work within its budget, with a record of its payments', async (t) => {
  const budget = new Budget(2n * PRICE)
  const { gateway, node, url } = await openBuyer(t, budget)
  const unpaid = createGateway({ url }).work_generate({ hash: newHash() })
  await assert.rejects(unpaid, { code: 'payment_required', status: 402 })
  const hash = newHash()
  const { work } = await gateway.work_generate({ hash })
  assert.ok(workValue(hash, work) >= WORK_THRESHOLDS.dev.send)
  const [paid] = budget.paid
  const { what, description, to, amount, state } = paid!
  assert.deepEqual([what, description, to], [`${url}/actions/work_generate`, 'work_generate', SHOP.address])
  assert.deepEqual([amount, state], [PRICE, 'settled'])
  assert.equal(node.ledger.store.findBlock(paid!.hash)?.amount, PRICE)
  const body = JSON.stringify({ action: 'work_generate', hash: newHash() })
  const bought = await gateway.fetch(url, { method: 'POST', body })
  assert.equal(bought.status, 200)
  assert.equal(gateway.budget!.left, 0n)
  await assert.rejects(gateway.work_generate({ hash: newHash() }), { code: 'budget_exceeded' })
  assert.equal((await gateway.block_count()).count.length > 0, true, 'what costs nothing needs no budget')
  assert.equal(paymentsOnLedger(node), 2)
})

test('a paid request whose reply was lost is presented again with the same payment', async (t) => {
  let lost = 0
  const watched = watchedFetch((asked, go) => (asked.headers.has('payment-signature') && lost++ < 2 ? lose(go) : go()))
  const budget = new Budget(raw('1'))
  const { gateway, node } = await openBuyer(t, budget, watched)
  const hash = newHash()
  const { work } = await gateway.work_generate({ hash })
  assert.ok(workValue(hash, work) >= WORK_THRESHOLDS.dev.send)
  const payments = watched.asked.flatMap(({ headers }) => headers.get('payment-signature') ?? [])
  assert.equal(payments.length, 3)
  assert.equal(new Set(payments).size, 1)
  assert.deepEqual([paymentsOnLedger(node), budget.left], [1, raw('1') - PRICE])
})

// It answers with a refusal, keeps the block, and publishes it.
test('a seller that takes a payment and denies it is paid once, and the budget counts it', async (t) => {
  let cheats = 0
  const refused: string[] = []
  const watched = watchedFetch(async (asked, go) => {
    const payment = asked.headers.get('payment-signature')
    if (payment === null || cheats++ > 0) return go()
    refused.push(payment)
    return new Response('{"error":"No.","code":"invalid_payload"}', { status: 402 })
  })
  const budget = new Budget(3n * PRICE)
  const { gateway, node } = await openBuyer(t, budget, watched)
  const error = await gateway.work_generate({ hash: newHash() }).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof GatewayError)
  assert.deepEqual([error.code, error.paid], ['invalid_payload', true])
  assert.equal(cheats, 1, 'a refused payment is not followed by another')
  const { payload } = decode(refused[0]) as { payload: { block: Record<string, string> } }
  const block = fromBlockJson((name) => payload.block[name])
  assert.ok(block?.type === 'state')
  await publish(node, block)
  await gateway.work_generate({ hash: newHash() })
  const states = budget.paid.map(({ state }) => state)
  assert.deepEqual(states, ['settled', 'settled'])
  assert.deepEqual([budget.left, paymentsOnLedger(node)], [PRICE, 2])
})

test('a refused payment that another one replaces costs nothing', async (t) => {
  let refusals = 0
  const watched = watchedFetch((asked, go) => {
    const refuses = asked.headers.has('payment-signature') && refusals++ === 0
    return refuses ? Promise.resolve(new Response('{"error":"No."}', { status: 402 })) : go()
  })
  const budget = new Budget(PRICE)
  const { gateway, node } = await openBuyer(t, budget, watched)
  await assert.rejects(gateway.work_generate({ hash: newHash() }), { status: 402 })
  assert.equal(budget.left, 0n, 'it may still arrive')
  await gateway.work_generate({ hash: newHash() })
  assert.deepEqual([budget.left, paymentsOnLedger(node)], [0n, 1])
})

test('a wallet has its work bought by another account, which finds its own', async (t) => {
  const budget = new Budget(raw('0.01'))
  const { gateway, node } = await openBuyer(t, budget)
  const { privateKey, address } = await openPayer(node)
  const wallet = gateway.wallet(privateKey, { budget: raw('1') })
  assert.equal(wallet.address, address)
  const { balance } = await wallet.send(SHOP.address, raw('0.5'))
  assert.equal(balance, raw('4.5'))
  const [paid, ...others] = budget.paid
  assert.deepEqual([paid?.description, paid?.amount, paid?.state], ['work_generate', PRICE, 'settled'])
  assert.deepEqual(others, [])
})
