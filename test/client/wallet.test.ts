import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Budget, createGateway, raw } from '../../src/client/index.ts'
import type { LedgerNode } from '../../src/devnet/index.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { deriveKey } from '../../src/kernel/nano/keys.ts'
import { Signer, fundsOf, give, nano } from '../support/blocks.ts'
import { lose, watchedFetch } from '../support/client-steps.ts'
import { openGateway } from '../support/gateway.ts'
import { another } from '../support/another.ts'

/* The client's wallet: its key stays local; the gateway reads the ledger, computes work and publishes. */

const SEED = 'C11E'.repeat(16)
const shop = new Signer(41)

async function openFunded(t: Parameters<typeof openGateway>[0], watched = watchedFetch()) {
  const { url, app } = await openGateway(t)
  const node = app.devnet!.node
  const gateway = createGateway({ url, fetch: watched.fetch })
  const wallet = gateway.wallet({ seed: SEED, index: 3 })
  await give(node, fromAddress(wallet.address)!, nano(5))
  return { gateway, wallet, node, watched }
}

const sentTo = (node: LedgerNode) => fundsOf(node, shop.address)

test('a wallet opens, receives, sends and changes with work from the gateway, and its key never leaves', async (t) => {
  const { wallet, node, watched, gateway } = await openFunded(t)
  const representative = new Signer(42).address
  const opened = await wallet.open({ representative })
  assert.deepEqual([opened.balance, opened.blocks.length], [raw('5'), 1])
  const info = await gateway.account_info({ account: wallet.address, representative: true })
  assert.equal(info.representative, representative)
  await assert.rejects(wallet.open(), { code: 'already_open' })
  await give(node, fromAddress(wallet.address)!, nano(1))
  assert.deepEqual((await wallet.balance()).receivable, raw('1'))
  const { balance, blocks } = await wallet.receive()
  assert.deepEqual([balance, blocks.map(({ amount }) => amount)], [raw('6'), [raw('1')]])
  const [first, second] = await Promise.all([
    wallet.send(shop.address, raw('2')),
    wallet.send(shop.address, raw('0.5')),
  ])
  assert.deepEqual([first.balance, second.balance], [raw('4'), raw('3.5')], 'one after the other')
  const { hash } = await wallet.change(shop.address)
  const block = await gateway.block_info({ hash, json_block: true })
  assert.equal(block.subtype, 'change')
  assert.equal(sentTo(node), raw('2.5'))
  assert.equal(watched.count('/actions/work_generate'), 5, 'one for each block')
  const said = watched.asked.map(({ path, body, headers }) => [path, body, ...headers].join()).join()
  for (const secret of [SEED, deriveKey(SEED, 3)]) assert.ok(!said.toUpperCase().includes(secret))
})

test('a payment whose reply was lost is looked up, and not made twice', async (t) => {
  let lost = 0
  const watched = watchedFetch((asked, go) =>
    asked.path === '/actions/process' && asked.body.includes('"send"') && lost++ === 0 ? lose(go) : go(),
  )
  const { wallet, node } = await openFunded(t, watched)
  await wallet.receive()
  const { hash, balance } = await wallet.send(shop.address, raw('2'))
  assert.deepEqual([lost, balance, sentTo(node)], [1, raw('3'), raw('2')])
  assert.ok(node.ledger.store.findBlock(hash))
})

test('a payment with an unknown outcome is reported as such, and finished before the next one', async (t) => {
  let isAway = false
  const watched = watchedFetch((asked, go) => {
    if (asked.path === '/actions/process' && asked.body.includes('"send"')) isAway ||= watched.count(asked.path) === 2
    return isAway ? Promise.reject(new TypeError('Nobody there.')) : go()
  })
  const { gateway, wallet, node } = await openFunded(t, watched)
  await wallet.receive()
  const budget = new Budget(raw('4'))
  const bound = gateway.wallet({ seed: SEED, index: 3 }, { budget })
  await assert.rejects(bound.send(shop.address, raw('2')), { code: 'publish_unknown' })
  assert.deepEqual([budget.left, budget.paid[0]!.state, sentTo(node)], [raw('2'), 'pending', 0n])
  isAway = false
  const { balance } = await bound.send(shop.address, raw('1'))
  assert.deepEqual([balance, sentTo(node)], [raw('2'), raw('3')], 'both, and each of them once')
  const states = budget.paid.map(({ state }) => state)
  assert.deepEqual(states, ['settled', 'settled'])
})

test('a wallet refuses sends above its budget, above its balance, and to invalid addresses', async (t) => {
  const { gateway, node, wallet } = await openFunded(t)
  await wallet.receive()
  const budget = new Budget(raw('1'), { perPayment: raw('0.6') })
  const bound = gateway.wallet({ seed: SEED, index: 3 }, { budget })
  await assert.rejects(bound.send(shop.address, raw('0.61')), { code: 'budget_exceeded' })
  const { hash } = await bound.send(shop.address, raw('0.6'))
  await assert.rejects(bound.send(shop.address, raw('0.5')), { code: 'budget_exceeded' })
  assert.equal(budget.left, raw('0.4'))
  const [paid] = budget.paid
  assert.deepEqual(
    { ...paid, at: 0 },
    { what: 'send', description: undefined, to: shop.address, amount: raw('0.6'), hash, state: 'settled', at: 0 },
  )
  await assert.rejects(wallet.send(shop.address, raw('99')), { code: 'insufficient_funds' })
  await assert.rejects(wallet.send(another(shop.address), 1n), { code: 'invalid_account' })
  for (const wrong of [0n, -1n, 1]) {
    await assert.rejects(wallet.send(shop.address, wrong as bigint), { code: 'invalid_amount' })
  }
  assert.throws(() => gateway.wallet('not a key'), TypeError)
  assert.equal(sentTo(node), raw('0.6'))
})

test('a person sends 0.25 nano to @shop as they would write it; an unknown name and too much send nothing', async (t) => {
  const names = JSON.stringify({ Shop: shop.address })
  const { url, app } = await openGateway(t, { KNOWN_NAMES: names })
  const node = app.devnet!.node
  const wallet = createGateway({ url }).wallet({ seed: SEED, index: 4 })
  await give(node, fromAddress(wallet.address)!, nano(1))
  await wallet.receive()
  const { to, amount } = await wallet.send('@shop', '0.25')
  assert.deepEqual([to, amount, sentTo(node)], [shop.address, raw('0.25'), raw('0.25')])
  await assert.rejects(wallet.send('@nobody-has-this', '0.1'), { name: 'GatewayError' })
  await assert.rejects(wallet.send('@shop', '2'), {
    code: 'insufficient_funds',
    message: `${wallet.address} has 0.75 nano; 2 nano are needed.`,
    needed: raw('2'),
    available: raw('0.75'),
  })
  assert.equal(sentTo(node), raw('0.25'))
})
