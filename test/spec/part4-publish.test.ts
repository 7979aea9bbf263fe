import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { signHash } from '../../src/kernel/nano/keys.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { WORK_THRESHOLDS, formatWork, workValue } from '../../src/kernel/nano/work.ts'
import { NO_WORK, Signer, UNOPENED, frontierAfter, frontierOf, nano, openAccount } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { type Gateway, openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { assertRefusal } from './refusal.ts'
import { row } from './row.ts'
import { alice, bob, openLedgerWorld } from './ledger-world.ts'

/* Contract 4.1, publishing: what `process` accepts and answers, and how clients use it safely. */

type Members = Record<string, unknown>

const EPOCH_2 = '65706F636820763220626C6F636B000000000000000000000000000000000000'

const send = ({ call }: Pick<Gateway, 'call'>, block: object | string, fields: object = {}) =>
  call('process', { json_block: 'true', block, ...fields })

test('every subtype is taken, as object or as text, and answered with the hash of the block (contract 4.1, Blocks and work: process)', async (t) => {
  const gateway = await openLedgerWorld(t)
  const { call, post, app, sent } = gateway
  const { node } = app.devnet!
  const [one, two] = [new Signer(1, node.ledger.thresholds), new Signer(2, node.ledger.thresholds)]
  const taken: string[] = []
  const accept = async (block: StateBlock, subtype: string, given: object | string = toBlockJson(block)) => {
    const reply = await send(gateway, given, { subtype })
    row('4.1, Publishing a block: json_block, block', () =>
      assert.deepEqual([reply.status, reply.json()], [200, { hash: hashBlock(block) }], subtype),
    )
    await gateway.confirmed()
    const { confirmed, subtype: kind } = (await call('block_info', { hash: hashBlock(block) })).json()
    assert.deepEqual([confirmed, kind], ['true', subtype === 'open' ? 'receive' : subtype])
    taken.push(subtype)
    return frontierAfter(block)
  }
  const opening = two.receive(UNOPENED, sent, nano(2))
  const opened = await accept(opening, 'open')
  const paid = two.send(opened, alice.key, nano(1))
  const afterPay = await accept(paid, 'send', JSON.stringify(toBlockJson(paid)))
  const receipt = one.receive(frontierOf(node, alice.key), hashBlock(paid), nano(1))
  const { link_as_account: _, ...short } = toBlockJson(receipt)
  await accept(receipt, 'receive', short)
  const change = two.change(afterPay, DEV_NETWORK.genesisAccount)
  await accept(change, 'change')
  // An account at the latest epoch cannot be upgraded to it: the ledger recognises the subtype and refuses.
  const draft = { ...two.change(frontierAfter(change), opened.representative), link: EPOCH_2 }
  const raised = { ...draft, signature: signHash(DEV_NETWORK.genesisPrivateKey, hashBlock(draft)) }
  const refused = await send(gateway, toBlockJson(raised), { subtype: 'epoch' })
  row('4.1, Publishing a block: subtype', () => {
    assert.deepEqual(taken, ['open', 'send', 'receive', 'change'])
    assert.deepEqual([refused.status, refused.json()], [200, { error: 'This block cannot follow the previous block' }])
  })

  const next = two.send(frontierAfter(change), alice.key, 1n)
  const noAction = await post(JSON.stringify({ block: toBlockJson(next), subtype: 'send' }))
  row('9, Synonyms: action process', () =>
    assert.deepEqual([noAction.status, noAction.json()], [200, { hash: hashBlock(next) }]),
  )

  const good = toBlockJson(two.send(frontierAfter(next), alice.key, 1n)) as Members
  const members = ['type', 'account', 'previous', 'representative', 'balance', 'link', 'signature', 'work']
  const without = members.map((name) => ({ ...good, [name]: undefined }))
  const invalid = ['{', '[]', {}, ...without, { ...good, balance: '-1' }, { ...good, type: 'gift' }]
  for (const wrong of [{ block: good, subtype: 'gift' }, ...invalid.map((block) => ({ block }))]) {
    const [field, text] = 'subtype' in wrong ? ['subtype', 'Invalid block subtype'] : ['block', 'Block is invalid']
    const reply = await call('process', wrong)
    const answer = reply.json()
    assert.deepEqual([reply.status, answer.error, answer.message, answer.field], [400, text, text, field], reply.text)
    assert.match(answer.code!, /^invalid_/)
  }
  const none = await call('process', { subtype: 'send' })
  assert.deepEqual([none.status, none.json().error, none.json().field], [400, 'The field block is required.', 'block'])
  for (const force of [true, 'true', 1, '1']) {
    const forced = await send(gateway, good, { subtype: 'send', force })
    row('4.1, rule 5', () => assertRefusal(forced, 403, 'Forced blocks are not accepted.', 'feature_disabled'))
    assert.equal(forced.json().field, 'force')
  }
  assert.deepEqual((await send(gateway, good, { subtype: 'send', force: 'false' })).status, 200)
})

test('state first, then work for that very root, then one block: what a client does and what saves it (contract 4.1, rules 1 to 3; 7, rule 2)', async (t) => {
  const gateway = await openLedgerWorld(t)
  const { call } = gateway
  const state = async () => {
    const info = await call('account_info', { account: alice.address, representative: true })
    const { frontier, balance, representative } = info.json()
    assert.match(representative!, /^nano_/)
    return { previous: frontier!, balance: BigInt(balance!), representative: DEV_NETWORK.genesisAccount }
  }
  const workFor = async (hash: string) => {
    const { work } = (await call('work_generate', { hash })).json()
    assert.equal((await call('work_validate', { hash, work })).json().valid_all, '1')
    return work!
  }
  const before = await state()
  const block = { ...alice.send(before, bob.key, nano(1)), work: await workFor(before.previous) }
  let nonce = 0n
  while (workValue(before.previous, formatWork(nonce)) >= WORK_THRESHOLDS.dev.receive) nonce++
  const weak = await send(gateway, toBlockJson({ ...block, work: formatWork(nonce) }), { subtype: 'send' })
  assert.deepEqual([weak.status, weak.json()], [200, { error: 'Block work is less than threshold' }])
  const hash = hashBlock(block)
  assert.deepEqual((await call('block_info', { hash })).json(), { error: 'Block not found' })
  assert.deepEqual((await send(gateway, toBlockJson(block), { subtype: 'send' })).json(), { hash })

  // A client that lost the answer finds the block. Publishing it again is neither a second payment nor a second success.
  await gateway.confirmed()
  const { confirmed, balance_nano } = (await call('block_info', { hash })).json()
  assert.deepEqual([confirmed, balance_nano], ['true', '7'])
  assert.deepEqual((await send(gateway, toBlockJson(block))).json(), { error: 'Old block' })
  const error = 'Invalid block balance for given subtype'
  assert.deepEqual((await send(gateway, toBlockJson(block), { subtype: 'send' })).json(), { error })

  // The frontier has changed: blocks built on the old one are refused, and blocks built on the new one are accepted.
  const late = { ...alice.send(before, bob.key, nano(3)), work: block.work }
  assert.deepEqual((await send(gateway, toBlockJson(late))).json(), { error: 'Fork' })
  const now = await state()
  assert.deepEqual([now.previous, now.balance], [hash, nano(7)])
  const next = { ...alice.send(now, bob.key, nano(3)), work: await workFor(hash) }
  assert.deepEqual((await send(gateway, toBlockJson(next), { subtype: 'send' })).json(), { hash: hashBlock(next) })
  await gateway.confirmed()
  assert.equal((await call('account_balance', { account: alice.address })).json().balance_nano, '4')
})

test('a block reaches every healthy node once, and a lost reply is looked up instead of sent again (contract 4.1, rules 2 and 5)', async (t) => {
  const ledgers = [await openDevnet(t, { thresholds: NO_WORK }), await openDevnet(t, { thresholds: NO_WORK })]
  for (const { node } of ledgers) await openAccount(node, alice, nano(10))
  const nodes = await Promise.all(ledgers.map((ledger) => FaultyNode.start(t, { ledger })))
  const [first, second] = nodes as [FaultyNode, FaultyNode]
  const NODE_URLS = `${first.url}#,${second.url}#role=fallback`
  const gateway = await openGateway(t, { NODE_URLS, NODE_NETWORK: 'dev', WORK_PRECOMPUTE: 'false' })
  const { node } = ledgers[0]!
  const block = alice.send(frontierOf(node, alice.key), bob.key, nano(1))
  const hash = hashBlock(block)
  /** How often each node received the block. Rebroadcasts after a success count as one. */
  const sendings = ({ signature }: StateBlock) =>
    nodes.map((one) => one.bodies('process').filter((body) => body.includes(signature)).length)
  const has = (at: number, hash: string) => ledgers[at]!.node.ledger.store.hasBlock(hash)
  assert.deepEqual((await send(gateway, toBlockJson(block), { subtype: 'send' })).json(), { hash })
  await until(() => has(0, hash) && has(1, hash))
  assert.deepEqual(sendings(block), [1, 1])

  await first.behave('reply lost', { actions: ['process'] })
  await second.behave('request lost', { actions: ['process'] })
  const next = alice.send(frontierAfter(block), bob.key, nano(1))
  assert.deepEqual((await send(gateway, toBlockJson(next), { subtype: 'send' })).json(), { hash: hashBlock(next) })
  assert.equal(sendings(next)[0], 1)
  assert.ok(first.hits('block_info') + second.hits('block_info') >= 1, 'it was looked up')

  // The result is unknown: the answer says so and has the hash, which the client must look up first.
  await first.behave('request lost', { actions: ['process'] })
  const lost = alice.send(frontierAfter(next), bob.key, nano(1))
  const reply = await send(gateway, toBlockJson(lost), { subtype: 'send' })
  row('7, Texts and codes: outcome of process unknown', () =>
    assert.deepEqual([reply.status, reply.json().code, reply.json().hash], [502, 'publish_unknown', hashBlock(lost)]),
  )
  assert.deepEqual(sendings(lost), [1, 1])
})
