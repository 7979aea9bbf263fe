import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { Signer, UNOPENED, nano } from '../support/blocks.ts'
import { ask, bearer } from '../support/gateway.ts'
import { row } from './row.ts'
import { alice, bob, openLedgerWorld } from './ledger-world.ts'

/* Contract 9: nothing is versioned, and old names keep working. */

type Members = Record<string, unknown>

test('every synonym of an action answers as the action does (contract 9, rules 6 and 7)', async (t) => {
  const { call, app, opened, sent } = await openLedgerWorld(t)
  const account = { account: bob.address }
  const accounts = { accounts: [bob.address, alice.address] }
  const same: [string, string, object][] = [
    ['receivable', 'pending', account],
    ['receivable', 'pending', { ...account, array: true }],
    ['accounts_frontiers', 'account_frontiers', accounts],
    ['price', 'fiat_price', { currency: 'EUR' }],
    ['block_info', 'block', { hash: opened }],
    ['receivable_exists', 'pending_exists', { hash: sent }],
  ]
  // A price has the time of the request.
  const steady = (answer: Members) => (Array.isArray(answer) ? answer : { ...answer, timestamp: 0, timestamp_unix: 0 })
  for (const [name, synonym, fields] of same) {
    const [one, other] = [await call(name, fields), await call(synonym, fields)]
    row(
      '9, Synonyms: action receivable, action accounts_frontiers, action price, action block_info, action receivable_exists',
      () => {
        assert.deepEqual([one.status, other.status], [200, 200], name)
        assert.deepEqual(steady(other.json<Members>()), steady(one.json<Members>()), synonym)
      },
    )
  }
  for (const [at, action] of ['rpc_key', 'gpu_key'].entries()) {
    const email = `user${at}@example.com`
    const { success, message } = (await call(action, { email })).json<{ success: boolean; message: string }>()
    row('9, Synonyms: action rpc_key', () => {
      assert.equal(success, true)
      assert.ok(message.includes(`the sign-in link for ${email} is kept here`), message)
    })
  }
  const names = app.endpoints.actions.flatMap(({ name, synonyms = [] }) => [name, ...synonyms])
  assert.equal(new Set(names).size, names.length, 'no name means two things')
})

test('a block with its subtype is a publication; a version in a request changes nothing, what can change with the node is reported, and the challenge has its own version (contract 9, rules 1 to 5)', async (t) => {
  const { post, call, url, app } = await openLedgerWorld(t, { X402_PAY_TO: alice.address })
  const { node } = app.devnet!
  const carol = new Signer(3, node.ledger.thresholds)
  const opening = carol.receive(UNOPENED, await node.fund(carol.key, nano(1)), nano(1))
  const published = { block: toBlockJson(opening), subtype: 'open', json_block: 'true', jsonrpc: '2.0' }
  const reply = await post(JSON.stringify(published))
  row('9, Synonyms: action process', () => assert.equal(reply.json().hash, hashBlock(opening)))
  const account = carol.address
  const plain = (await call('account_key', { account })).text
  for (const fields of [{ version: '3' }, { api_version: 2 }, { nonsense: { deep: [1] } }, { id: 7, jsonrpc: '2.0' }]) {
    assert.equal((await call('account_key', { account, ...fields })).text, plain)
  }
  const headers = { accept: 'application/vnd.nano.v2+json', 'api-version': '2' }
  assert.equal((await call('account_key', { account }, headers)).text, plain)
  const body = JSON.stringify({ action: 'account_key', account })
  assert.equal((await ask(`${url}/?version=2`, { body })).text, plain)

  const { rpc_version, protocol_version, ...more } = (await call('version')).json()
  assert.deepEqual([rpc_version, protocol_version], ['1', '21'])
  assert.ok(more.network_identifier, 'a member that the contract does not list is passed on')
  const challenge = await call('work_generate', { hash: 'A'.repeat(64) })
  assert.equal(challenge.status, 402)
  const header = Buffer.from(String(challenge.headers['payment-required']), 'base64').toString()
  assert.deepEqual([challenge.json<Members>().x402Version, (JSON.parse(header) as Members).x402Version], [2, 2])
})

test('fields may be called by their other names (contract 9, rules 6 and 7)', async (t) => {
  const { call, app, sent } = await openLedgerWorld(t, { CACHE_BYTES_MAX: '0' })
  const key = bearer(app.createdKey!)
  const get = async (action: string, fields: object = {}, headers = {}) => {
    const reply = await call(action, fields, headers)
    assert.equal(reply.status, 200, `${action} ${JSON.stringify(fields)}: ${reply.text}`)
    return reply.json<Members>()
  }
  const account = bob.address
  const [one, other] = [{ receivable: true }, { pending: true }]
  const { receivable, receivable_nano, pending } = await get('account_info', { account: alice.address, ...other })
  const info = await get('account_info', { account: alice.address, ...one })
  row('9, Synonyms: account_info', () => {
    assert.deepEqual([receivable, receivable_nano, pending], ['0', '0', '0'])
    assert.deepEqual([info.receivable, info.receivable_nano, info.pending], ['0', '0', '0'])
  })
  const waiting: unknown[] = []
  for (const flag of [one, other]) waiting.push((await get('blocks_info', { hashes: [sent], ...flag })).blocks)
  row('9, Synonyms: blocks_info', () => {
    for (const blocks of waiting as Record<string, Members>[]) assert.equal(blocks[sent]!.receivable, '1')
  })
  const single = await get('accounts_frontiers', { account: alice.address })
  const several = await get('accounts_frontiers', { accounts: [alice.address] })
  row('9, Synonyms: accounts_frontiers', () =>
    assert.deepEqual([single, several], [{ frontiers: { [alice.address]: sent } }, single]),
  )
  const counts = await get('block_count')
  row('9, Synonyms: block_count answer', () => {
    assert.deepEqual([counts.count, counts.unchecked, counts.cemented], ['6', '0', '6'])
    assert.deepEqual([counts.block_count, counts.unchecked_count, counts.cemented_count], ['6', '0', '6'])
  })
  for (const where of [{ address: account }, { account }]) {
    const found = await get('find_block', { ...where, amount: '2' })
    row('9, Synonyms: find_block', () => assert.equal((found.block as Members).hash, sent))
  }

  for (const field of ['name', 'username']) {
    const { name } = await get('get_name', { [field]: 'carol' })
    const offer = await call('update_name', { [field]: 'carol', title: 'x' })
    row('9, Synonyms: get_name, update_name', () =>
      assert.deepEqual([name, offer.status, offer.json().error], ['carol', 400, 'Username not found.']),
    )
  }
  const seconds = 2 * 3_600
  for (const field of ['expiration', 'expire']) {
    const fields = { refund_address: alice.address, amount: '1', emails: ['bob@example.com'], [field]: '2 hours' }
    const { expiration } = await get('nano_email', fields, key)
    row('9, Synonyms: nano_email', () => assert.equal(expiration, 'in 2 hours', field))
    const wallet = await get('cloud_wallet', { [field]: '2 hours' }, key)
    const left = Number(wallet.expiration_unix) - Date.now() / 1000
    row('9, Synonyms: cloud_wallet fields', () => assert.ok(left > seconds - 600 && left <= seconds, field))
  }
})

test('a checkout is made and reached by all its names', async (t) => {
  const { call, rest, app } = await openLedgerWorld(t)
  const key = bearer(app.createdKey!)
  const sale = { address: alice.address, amount: '1' }
  const get = async (path: string) => {
    const reply = await rest('GET', path, app.createdKey)
    assert.equal(reply.status, 200, `${path}: ${reply.text}`)
    return reply.json<Members>()
  }
  for (const field of ['webhook_url', 'webhook']) {
    const made = await call('checkout', { ...sale, [field]: 'http://127.0.0.1:9/hook' }, key)
    const { checkout } = await get(`/api/checkouts/${made.json().id}`)
    row('9, Synonyms: webhook of checkout', () =>
      assert.equal((checkout as Members).webhook_url, 'http://127.0.0.1:9/hook', field),
    )
  }
  const plain = (await call('checkout', { ...sale, random: true }, key)).json<Members>()
  row('9, Synonyms: mode of checkout', () => assert.equal(plain.mode, 'unique_amount'))
  for (const plan of [
    { title: 'Gold', value: '3' },
    { name: 'Gold', price: '3' },
  ]) {
    const made = await call('checkout', { address: alice.address, plans: [plan] }, key)
    const { plans } = made.json<{ plans: Members[] }>()
    row('9, Synonyms: checkout plans', () => {
      assert.deepEqual([plans.length, plans[0]!.title], [1, 'Gold'])
      assert.match(String(plans[0]!.value), /^3\.0/)
    })
  }

  const id = String(plain.id)
  for (const path of ['', `/${id}`, '/stats', '/overview']) {
    const [short, long] = [await get(`/api/checkouts${path}`), await get(`/api/admin/checkouts${path}`)]
    row('9, Synonyms: REST', () => assert.deepEqual(short, long, path))
  }
})
