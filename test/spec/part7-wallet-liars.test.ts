import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { RAW_PER_NANO, toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { Signer, fundsOf } from '../support/blocks.ts'
import { merchant, turnUntil } from '../support/checkout-steps.ts'
import { openScene } from '../support/node-scene.ts'

/* One of several nodes lies about the frontier of a wallet: decision 15. Nothing is signed on its word alone. */

const THIEF = new Signer(667).address

/** A cloud wallet that has sent, so that its last block names a representative, and has two more receivable nano. */
async function openWallet(t: TestContext, count: number, env: Record<string, string> = {}) {
  const scene = await openScene(t, count, env)
  const { world, shop, call } = scene
  const wallet = (await call({})).json<{ address: string }>().address
  const send = () => call({ send: merchant.address, amount: '1', account: wallet })
  await world.pay(wallet, toRaw(3n * RAW_PER_NANO))
  const first = await send()
  assert.equal(first.status, 200, first.text)
  const { db } = shop.ctx
  const sends = () =>
    db.selectFrom('wallet_blocks').selectAll().where('kind', '=', 'send').orderBy('sequence').execute()
  await turnUntil(world, 1_000, async () => (await sends()).every(({ status }) => status === 'confirmed'))
  const account = () => world.ledger.node.ledger.store.findAccount(fromAddress(wallet)!)!
  const paid = () => fundsOf(world.ledger.node, merchant.address)
  return { ...scene, wallet, send, sends, account, paid }
}

test('one of two nodes named another representative and the next send handed it the vote: now nothing is signed, and the error says why (contract 7, Texts and codes: nodes that contradict each other about a wallet or an address)', async (t) => {
  const { nodes, send, sends, account, paid, shop, pass } = await openWallet(t, 2)
  const { representative } = account()
  for (const liar of nodes) {
    liar.lie('account_info', (answer) => ({ ...answer, representative: THIEF }))
    const refused = await send()
    assert.deepEqual([refused.status, refused.json<{ code: string }>().code], [503, 'nodes_disagree'], refused.text)
    assert.equal((await sends()).filter(({ hash }) => hash !== null).length, 1)
    liar.beHonest()
  }
  assert.equal(paid(), RAW_PER_NANO)
  // A rejected block stays rejected.
  await pass(30)
  assert.equal(paid(), RAW_PER_NANO)
  assert.equal((await send()).status, 200)
  assert.equal(account().representative, representative)
  assert.equal(paid(), 2n * RAW_PER_NANO)
  assert.doesNotMatch(shop.log(), /"kind":"alarm"/)
})

test('a disagreement about a wallet that lasts is reported with what each node states', async (t) => {
  const { nodes, send, shop, wallet } = await openWallet(t, 2, { CONFIRM_WAIT: '2' })
  nodes[1]!.lie('account_info', () => ({ error: 'Account not found' }))
  await send()
  assert.match(
    shop.log(),
    new RegExp(
      `"event":"node_disagreement","read":"account_info ${wallet}","stated":\\{[^}]*"node-2":"Account not found`,
    ),
  )
})

test('one lying node of three delays no send, and its answers decide none', async (t) => {
  const { nodes, send, account, paid } = await openWallet(t, 3)
  const { representative } = account()
  nodes[2]!.lie('account_info', (answer) => ({ ...answer, representative: THIEF, balance: '9'.repeat(38) }))
  assert.equal((await send()).status, 200)
  assert.equal(paid(), 2n * RAW_PER_NANO)
  assert.equal(account().representative, representative)
})

test('a block of its own that one of two nodes calls confirmed too early is built on only when both do', async (t) => {
  const { nodes, world, send, sends, paid } = await openWallet(t, 2)
  world.ledger.node.hold()
  assert.equal((await send()).status, 200)
  nodes[0]!.lie('blocks_info', (answer) => ({ ...answer, blocks: confirmAll(answer.blocks) }))
  nodes[0]!.lie('block_info', (answer) => ({ ...answer, confirmed: 'true' }))
  assert.equal((await send()).status, 503)
  assert.deepEqual(
    (await sends()).map(({ status }) => status),
    ['confirmed', 'broadcast', 'refused'],
  )
  await world.ledger.node.release()
  assert.equal((await send()).status, 200)
  assert.equal(paid(), 3n * RAW_PER_NANO)
})

const confirmAll = (blocks: unknown): object =>
  Object.fromEntries(
    Object.entries(blocks as Record<string, object>).map(([hash, told]) => [hash, { ...told, confirmed: 'true' }]),
  )

test('where the word of one node suffices a send costs the questions that it did', async (t) => {
  const { nodes, send } = await openWallet(t, 2, { CONFIRM_NODES: '1' })
  for (const node of nodes) node.forgetHits()
  assert.equal((await send()).status, 200)
  const asked = (action: string) => nodes.reduce((sum, node) => sum + node.hits(action), 0)
  assert.equal(asked('account_info'), 1)
})

test('a wallet with one node of two left waits for the other one, or does not, as the operator wishes', async (t) => {
  for (const alone of ['wait', 'allow']) {
    const { nodes, world, shop, send, paid } = await openWallet(t, 2, { CONFIRM_ALONE: alone })
    await nodes[0]!.behave('dead')
    await turnUntil(world, 1_000, async () => !shop.app.nodes.pool.upstreams[0]!.healthy)
    const { status } = await send()
    assert.equal(status, alone === 'wait' ? 502 : 200)
    await nodes[0]!.behave('none')
    await turnUntil(world, 1_000, async () => shop.app.nodes.pool.upstreams[0]!.healthy)
    if (alone === 'wait') assert.equal((await send()).status, 200)
    assert.equal(paid(), 2n * RAW_PER_NANO)
    await shop.close()
  }
})
