import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { RAW_PER_NANO, type Raw, toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { frontierOf, fundsOf, publish } from '../support/blocks.ts'
import { bearer, merchant, turnUntil } from '../support/checkout-steps.ts'
import { turningWhenStuck } from '../support/clock.ts'
import type { FaultyNode } from '../support/faulty-node.ts'
import { readMetrics } from '../support/gateway.ts'
import { openScene } from '../support/node-scene.ts'

/* Nodes that report payments that never happened, or withhold real ones: decision 106. */

const { address } = merchant

test('one lying node of two completed checkouts with invented payments: now the gateway waits, reports it, and continues without the lie', async (t) => {
  const { world, nodes, shop, open, pass, invent, untilPaid } = await openScene(t, 2)
  const made = await open()
  const hash = invent(made, 1)
  await pass(60)
  assert.equal((await shop.check(made.id)).success, false)
  assert.match(
    shop.log(),
    new RegExp(
      `"event":"node_disagreement","hash":"${hash}","confirmed":\\["node-2"\\],"unconfirmed":\\[\\],"absent":\\["node-1"\\]`,
    ),
  )
  assert.match(await readMetrics(shop), /gateway_node_disagreements_total\{upstream="node-2"\} 1/)
  // With two nodes it is unknown which one lies.
  assert.deepEqual(
    [0, 1].map((at) => shop.app.nodes.pool.upstreams[at]!.state),
    ['well', 'well'],
  )
  await world.pay(address, made.amount_raw)
  await untilPaid(made.id)
  nodes[1]!.beHonest()
  const { amount_paid_raw: paid } = await shop.check(made.id)
  assert.equal(paid, made.amount_raw, 'the honest payment alone has paid')
})

test('where one node suffices, an invented payment of a lying one counts: these lies are convincing ones', async (t) => {
  const { open, invent, untilPaid } = await openScene(t, 2, { CONFIRM_NODES: '1' })
  const made = await open()
  invent(made, 0, 1)
  await untilPaid(made.id)
})

test('a wallet signed a receive for invented money and stayed locked for good: now it uses its real balance', async (t) => {
  const { world, shop, inventions, nodes, relays } = await openScene(t, 2)
  const call = (fields: object) =>
    turningWhenStuck(world.clock, shop.call('cloud_wallet', { key: world.key(), ...fields }))
  const wallet = (await call({})).json<{ address: string }>().address
  const hash = inventions.pay(wallet, 5n * RAW_PER_NANO, fromAddress(wallet)!)
  for (const node of nodes.slice(1)) inventions.reportThrough(node)
  inventions.tellBy(relays[1]!, hash)
  const received = await call({ receive: true, account: wallet })
  assert.doesNotMatch(received.text, new RegExp(hash))
  const { db } = shop.ctx
  const signed = () => db.selectFrom('wallet_blocks').select(['hash']).where('hash', 'is not', null).execute()
  assert.deepEqual(await signed(), [])
  await world.pay(wallet, RAW_PER_NANO)
  const sent = await call({ send: merchant.address, amount: '1', account: wallet })
  assert.equal(sent.status, 200, sent.text)
  assert.equal(fundsOf(world.ledger.node, merchant.address), RAW_PER_NANO)
})

test('a wallet is neither frozen nor misled when nodes lie about its own chain', async (t) => {
  const { world, shop, nodes, call } = await openScene(t, 2)
  const wallet = (await call({})).json<{ address: string }>().address
  await world.pay(wallet, toRaw(3n * RAW_PER_NANO))
  const send = () => call({ send: merchant.address, amount: '1', account: wallet })
  assert.equal((await send()).status, 200)
  const { db } = shop.ctx
  const isFrozen = async () =>
    (await db.selectFrom('wallets').select('frozen_at').execute()).some(({ frozen_at: at }) => at !== null)
  const { ledger } = world.ledger.node
  const { head, balance, representative } = ledger.store.findAccount(fromAddress(wallet)!)!
  const upgrade: StateBlock = {
    type: 'state',
    account: fromAddress(wallet)!,
    previous: head,
    representative,
    balance,
    link: `65706F636820763220626C6F636B${'0'.repeat(36)}`,
    signature: '0'.repeat(128),
    work: '0'.repeat(16),
  }
  const foreign = { ...upgrade, link: merchant.key, balance: 0n as Raw }
  /** Both report a block after the wallet's last one; one of them also calls it confirmed. */
  const name = (block: StateBlock) => {
    const hash = hashBlock(block)
    const told = { block_account: wallet, confirmed: 'true', subtype: 'epoch', contents: toBlockJson(block) }
    for (const [at, node] of nodes.entries()) {
      node.lie('account_info', (answer) => ({ ...answer, frontier: hash, confirmed_frontier: hash }))
      node.lie('block_info', (answer, body) =>
        body.includes(hash) ? { ...told, balance: block.balance.toString() } : { ...answer, successor: hash },
      )
      if (at === 1)
        node.lie('blocks_info', (answer, body) => (body.includes(hash) ? { blocks: { [hash]: told } } : answer))
    }
  }
  for (const lie of [
    () => name(upgrade),
    () => name(foreign),
    () => nodes.forEach((node) => node.lie('account_info', (answer) => ({ ...answer, balance: '9'.repeat(38) }))),
  ]) {
    lie()
    const { status } = await send()
    assert.notEqual(status, 200)
    assert.equal(await isFrozen(), false)
    for (const node of nodes) node.beHonest()
  }
  const last = await send()
  assert.equal(last.status, 200, last.text)
  assert.equal(fundsOf(world.ledger.node, merchant.address), 2n * RAW_PER_NANO)
})

async function openOldSale(t: TestContext, env: Record<string, string> = {}) {
  const scene = await openScene(t, 2, env)
  const { world, shop, nodes } = scene
  const { node } = world.ledger
  const old = await world.pay(address, toRaw(2n * RAW_PER_NANO))
  await publish(node, merchant.receive(frontierOf(node, merchant.key), old, 2n * RAW_PER_NANO))
  const made = await shop.open({ address, amount: '2', random: false }, bearer(world.key()))
  assert.equal(BigInt(made.amount_raw), 2n * RAW_PER_NANO)
  const list = { [address]: { [old]: { amount: made.amount_raw, source: address } } }
  /** Lies that the merchant has not received it. */
  const sayItWaits = (liar: FaultyNode) => {
    liar.lie('accounts_receivable', (answer) => ({ ...answer, blocks: list }))
    liar.lie('account_history', (answer) => ({ ...answer, history: [] }))
    liar.lie('blocks_info', (answer) => changeBlocks(answer, { receivable: '1' }))
  }
  /** Lies that the merchant has received it since. */
  const sayItIsNew = (liar: FaultyNode) => {
    liar.lie('accounts_frontiers', () => ({ frontiers: { [address]: 'F'.repeat(64) } }))
    liar.lie('account_history', ({ history, ...answer }) => ({
      ...answer,
      history: (history as unknown as object[]).map((entry) => ({ ...entry, hash: 'F'.repeat(64), height: '9' })),
    }))
  }
  const lies = [sayItWaits, sayItIsNew]
  return { ...scene, made, lies, nodes }
}

const changeBlocks = (answer: Record<string, unknown>, members: object): object => {
  const blocks = Object.entries(answer.blocks ?? {}).map(([hash, told]) => [hash, { ...(told as object), ...members }])
  return { ...answer, blocks: Object.fromEntries(blocks) as object }
}

test('an old payment that one of two nodes made look new paid a new order: now as many must say so as must agree', async (t) => {
  for (const at of [0, 1]) {
    const { world, shop, nodes, made, lies, pass, untilPaid } = await openOldSale(t)
    for (const lie of lies) {
      lie(nodes[at]!)
      await pass(60)
      assert.equal((await shop.check(made.id)).success, false)
      nodes[at]!.beHonest()
    }
    await world.pay(address, made.amount_raw)
    await untilPaid(made.id)
    await shop.close()
  }
  for (const which of [0, 1]) {
    const { nodes, made, lies, untilPaid, shop } = await openOldSale(t, { CONFIRM_NODES: '1' })
    for (const node of nodes) lies[which]!(node)
    await untilPaid(made.id)
    await shop.close()
  }
})

test('one of three nodes lying about receives of an address neither delays payments nor prevents checkouts', async (t) => {
  const { world, nodes, shop, open, pass, untilPaid } = await openScene(t, 3)
  const { node } = world.ledger
  nodes[1]!.lie('account_info', (answer) => ({ ...answer, block_count: '9999', frontier: 'F'.repeat(64) }))
  nodes[1]!.lie('accounts_receivable', (answer) => ({ ...answer, blocks: '' }))
  nodes[1]!.lie('account_history', (answer) => ({ ...answer, history: [] }))
  const made = await open()
  const hash = await world.pay(address, made.amount_raw)
  await publish(node, merchant.receive(frontierOf(node, merchant.key), hash, BigInt(made.amount_raw)))
  await untilPaid(made.id)
  await pass(1)
  assert.equal((await shop.check(made.id)).additional_status, 'none')
})

test('one lying node of three is excluded for good together with its answers, and payments continue meanwhile', async (t) => {
  const { world, nodes, shop, open, pass, invent, untilPaid, stateOf } = await openScene(t, 3)
  const [made, honest] = [await open(), await open('3')]
  const hash = invent(made, 2)
  await pass(5)
  await world.pay(address, honest.amount_raw)
  await untilPaid(honest.id)
  await pass(60)
  assert.equal((await shop.check(made.id)).success, false)
  assert.deepEqual([0, 1, 2].map(stateOf), ['well', 'well', 'suspect'])
  assert.match(
    shop.log(),
    new RegExp(
      `"upstream":"node-3","state":"suspect","reason":"it called block ${hash} confirmed, which [^"]+ do not have"`,
    ),
  )
  nodes[2]!.beHonest()
  nodes[2]!.forgetHits()
  await pass(60)
  assert.equal(stateOf(2), 'suspect')
  assert.equal(nodes[2]!.hits('blocks_info'), 0)
})

test('two liars of three that agree count for nothing where three must agree, and the honest one is not set aside', async (t) => {
  const { shop, open, pass, invent, stateOf } = await openScene(t, 3, { CONFIRM_NODES: '3' })
  const made = await open()
  invent(made, 1, 2)
  await pass(60)
  assert.equal((await shop.check(made.id)).success, false)
  assert.match(shop.log(), /"event":"node_disagreement"[^\n]+"confirmed":\["node-[23]","node-[23]"\]/)
  assert.equal(stateOf(0), 'well')
})

test('a node that withholds payments delays nothing among three nodes, and is reported among two', async (t) => {
  for (const count of [3, 2]) {
    const { world, nodes, shop, open, pass, untilPaid } = await openScene(t, count)
    const made = await open()
    nodes[0]!.lie('blocks_info', (answer) => ({ ...answer, blocks: '' }))
    nodes[0]!.lie('accounts_receivable', (answer) => ({ ...answer, blocks: '' }))
    await world.pay(address, made.amount_raw)
    if (count === 2) {
      await pass(60)
      assert.equal((await shop.check(made.id)).success, false)
      assert.match(
        shop.log(),
        /"event":"node_disagreement"[^\n]+"confirmed":\["node-2"\],"unconfirmed":\[\],"absent":\["node-1"\]/,
      )
      nodes[0]!.beHonest()
    }
    await untilPaid(made.id)
    await shop.close()
  }
})

test('a lone node can invent, but neither change the amount of a payment nor its receiver, nor sign for others', async (t) => {
  const { world, nodes, shop, open, pass, untilPaid } = await openScene(t, 1)
  const [made, other] = [await open(), await open('3')]
  nodes[0]!.lie('blocks_info', (answer) => {
    const blocks = Object.entries(answer.blocks ?? {}).map(([hash, told]) => [
      hash,
      { ...(told as unknown as object), amount: other.amount_raw },
    ])
    return { ...answer, blocks: Object.fromEntries(blocks) as object }
  })
  await world.pay(address, made.amount_raw)
  await untilPaid(made.id)
  assert.equal((await shop.check(other.id)).success, false)
  nodes[0]!.lie('blocks_info', (answer) => {
    const blocks = Object.entries(answer.blocks ?? {}).map(([hash, told]) => {
      const { contents } = told as unknown as { contents: object }
      return [hash, { ...(told as unknown as object), contents: { ...contents, signature: '0'.repeat(128) } }]
    })
    return { ...answer, blocks: Object.fromEntries(blocks) as object }
  })
  await world.pay(address, other.amount_raw)
  await pass(60)
  assert.equal((await shop.check(other.id)).success, false)
  nodes[0]!.beHonest()
  await untilPaid(other.id)
})

test('while one of two nodes is down, payments wait for it or not, as the operator has set; a large payment waits for three', async (t) => {
  for (const alone of ['wait', 'allow']) {
    const { world, nodes, shop, open, pass, untilPaid } = await openScene(t, 2, { CONFIRM_ALONE: alone })
    const made = await open()
    await nodes[0]!.behave('dead')
    // Health checks detect that it is gone.
    await turnUntil(world, 1_000, async () => !shop.app.nodes.pool.upstreams[0]!.healthy)
    await world.pay(address, made.amount_raw)
    if (alone === 'wait') {
      await pass(30)
      assert.equal((await shop.check(made.id)).status, 'detected')
      assert.equal((await shop.check(made.id)).success, false)
      await nodes[0]!.behave('none')
    }
    await untilPaid(made.id)
    await shop.close()
  }
  const { world, nodes, shop, open, pass, untilPaid } = await openScene(t, 3, {
    CONFIRM_NODES: '1',
    CONFIRM_NODES_ABOVE: '100:3',
  })
  const [small, large] = [await open('99'), await open('101')]
  nodes[0]!.lie('blocks_info', (answer) => ({ ...answer, blocks: '' }))
  for (const { amount_raw: raw } of [small, large]) await world.pay(address, raw)
  await untilPaid(small.id)
  await pass(30)
  assert.equal((await shop.check(large.id)).success, false)
  assert.ok(BigInt(large.amount_raw) > 100n * RAW_PER_NANO)
  nodes[0]!.beHonest()
  await untilPaid(large.id)
})

test('a gateway that is to ask more nodes than it has does not start, and says why', async (t) => {
  await assert.rejects(
    openScene(t, 2, { CONFIRM_NODES: '3' }),
    /CONFIRM_NODES asks for the word of 3 nodes, and NODE_URLS names 2/,
  )
  await assert.rejects(
    openScene(t, 2, { CONFIRM_NODES_ABOVE: '5:3' }),
    /CONFIRM_NODES_ABOVE asks for the word of 3 nodes/,
  )
})
