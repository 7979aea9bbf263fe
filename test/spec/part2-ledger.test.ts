import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { alice, bob, openTown } from './town.ts'

/* Contract 2, ledger: every member of every object, with the type that the contract gives it. */

type Members = Record<string, unknown>

const ZERO = '0'.repeat(64)
const EIGHT = '8000000000000000000000000000000'
const TWO = '2000000000000000000000000000000'

test('account info has all its members, as texts (contract 2, Account info; 4.1, Node and account reads: account_info; 4.1, rule 12; 9, Synonyms: account_info)', async (t) => {
  const { call, opened, sent } = await openTown(t)
  const info = (await call('account_info', { account: alice.address })).json<Members>()
  assert.deepEqual(
    { ...info, modified_timestamp: '' },
    {
      frontier: sent,
      open_block: opened,
      representative_block: sent,
      balance: EIGHT,
      balance_nano: '8',
      modified_timestamp: '',
      block_count: '2',
      account_version: info.account_version,
      confirmation_height: '2',
      confirmation_height_frontier: sent,
    },
  )
  assert.match(String(info.modified_timestamp), /^\d{10}$/)
  assert.match(String(info.account_version), /^\d$/)
  for (const receivable of ['receivable', 'pending']) {
    const flags = { representative: true, weight: 'true', [receivable]: 1, include_confirmed: '1' }
    const more = (await call('account_info', { account: alice.address, ...flags })).json<Members>()
    for (const name of ['weight', 'receivable', 'confirmed_balance', 'confirmed_receivable']) {
      assert.equal(typeof more[name], 'string', name)
      assert.equal(typeof more[`${name}_nano`], 'string', `${name}_nano`)
    }
    assert.equal(more.confirmation_height, '2')
    assert.match(String(more.representative), /^nano_/)
  }
})

test('a balance has its three amounts in raw and nano, also of an account that was never opened (contract 2, Balance object; 4.1, rule 6; 4.1, Node and account reads: account_balance, accounts_balances)', async (t) => {
  const { call } = await openTown(t)
  const waiting = {
    balance: '0',
    balance_nano: '0',
    pending: TWO,
    pending_nano: '2',
    receivable: TWO,
    receivable_nano: '2',
  }
  assert.deepEqual((await call('account_balance', { account: bob.address })).json(), waiting)
  const nobody = new Signer(9).address
  const zeros = (await call('account_balance', { account: nobody })).json()
  assert.deepEqual([zeros.balance, zeros.receivable, zeros.error], ['0', '0', undefined])
  const { balances } = (await call('accounts_balances', { accounts: [bob.address, '@alice'] })).json<{
    balances: Members
  }>()
  assert.deepEqual(balances[bob.address], waiting)
  assert.equal((balances['@alice'] as Members).address, alice.address)
})

test('history has account, entries and previous (contract 2, History entry; 4.1, Node and account reads: account_history)', async (t) => {
  const { call, opened, sent } = await openTown(t)
  const { account, history, previous } = (await call('account_history', { account: alice.address, count: '1' })).json<{
    account: string
    history: Members[]
    previous: string
  }>()
  assert.equal(account, alice.address)
  assert.equal(previous, opened)
  const { local_timestamp, ...entry } = history[0]!
  assert.match(String(local_timestamp), /^\d{10}$/)
  assert.deepEqual(entry, {
    type: 'send',
    account: bob.address,
    amount: TWO,
    amount_nano: '2',
    height: '2',
    hash: sent,
    confirmed: 'true',
  })
})

test('what waits is shown in each of its forms (contract 2, Receivable entry; 4.1, Receivable; 4.1, Node and account reads: receivable, pending, accounts_receivable; 9, Synonyms: action)', async (t) => {
  const { call, sent } = await openTown(t)
  const account = bob.address
  for (const action of ['receivable', 'pending']) {
    const ask = async (fields: object) => (await call(action, { account, count: '5', ...fields })).json<Members>()
    const entry = { amount: TWO, amount_nano: '2', source: alice.address, username: 'Alice' }
    assert.deepEqual(await ask({ array: 'true' }), [{ hash: sent, ...entry }])
    assert.deepEqual((await ask({})).blocks, [sent])
    assert.deepEqual((await ask({ threshold: '1' })).blocks, { [sent]: TWO })
    assert.deepEqual((await ask({ source: 'true' })).blocks, { [sent]: entry })
    assert.equal((await call(action, { account: alice.address })).json().blocks, '')
    assert.deepEqual((await call(action, { account: alice.address, array: true })).json(), [])
  }
  for (const action of ['accounts_receivable', 'accounts_pending']) {
    const { blocks } = (await call(action, { accounts: [account, alice.address] })).json<{ blocks: Members }>()
    assert.deepEqual(Object.keys(blocks), [account])
    const { amount, source } = (blocks[account] as Record<string, Members>)[sent]!
    assert.deepEqual([amount, source], [TWO, alice.address])
    assert.equal((await call(action, { accounts: [alice.address] })).json().blocks, '')
  }
})

test('block info has all its members, and its contents are an object unless they are not wanted so (contract 2, Block info; 4.1, Blocks and work: block_info, blocks_info; 4.1, rules 7 and 10)', async (t) => {
  const { call, opened, sent } = await openTown(t)
  const { local_timestamp, contents, ...block } = (await call('block_info', { hash: sent })).json<Members>()
  assert.match(String(local_timestamp), /^\d{10}$/)
  assert.deepEqual(block, {
    block_account: alice.address,
    amount: TWO,
    amount_nano: '2',
    balance: EIGHT,
    balance_nano: '8',
    height: '2',
    successor: ZERO,
    confirmed: 'true',
    subtype: 'send',
  })
  const { signature, work, representative, ...rest } = contents as Members
  assert.match(String(signature), /^[0-9A-F]{128}$/)
  assert.match(String(work), /^[0-9a-f]{16}$/)
  assert.match(String(representative), /^nano_/)
  assert.deepEqual(rest, {
    type: 'state',
    account: alice.address,
    previous: opened,
    balance: EIGHT,
    balance_nano: '8',
    link: bob.key,
    link_as_account: bob.address,
  })
  assert.equal(typeof (await call('block_info', { hash: sent, json_block: 'false' })).json().contents, 'string')
  const flags = { source: 'true', receive_hash: 'true' }
  const { blocks } = (await call('blocks_info', { hashes: [sent, opened], ...flags })).json<{
    blocks: Record<string, Members>
  }>()
  assert.equal(blocks[sent]!.receive_hash, ZERO)
  assert.match(String(blocks[opened]!.source_account), /^nano_/)
  assert.equal(typeof blocks[sent]!.contents, 'object')
  const unknown = 'F'.repeat(64)
  assert.equal((await call('blocks_info', { hashes: [sent, unknown] })).json().error, 'Block not found')
  const some = (await call('blocks_info', { hashes: [sent, unknown], include_not_found: true })).json<Members>()
  assert.deepEqual(some.blocks_not_found, [unknown])
})

test('a payment is found by its exact amount, received or waiting, and not finding it is an answer (contract 2, Found block; 4.1, Blocks and work: find_block; 4.1, rule 8; 7, Texts and codes: find_block without result)', async (t) => {
  const { call, opened, sent } = await openTown(t)
  const find = async (address: string, amount: string) =>
    (await call('find_block', { address, amount })).json<{ block: Members }>()
  const waiting = (await find(bob.address, '2')).block
  assert.deepEqual(
    { ...waiting, local_timestamp: '' },
    {
      type: 'receivable',
      account: alice.address,
      amount: '2',
      amount_nano: '2',
      amount_raw: TWO,
      local_timestamp: '',
      height: '2',
      hash: sent,
      confirmed: 'true',
      username: 'Alice',
    },
  )
  const received = (await find(alice.address, '10')).block
  assert.deepEqual([received.type, received.hash, received.amount], ['receive', opened, '10'])
  const reply = await call('find_block', { address: bob.address, amount: '2.000000000000000000000000000001' })
  const nothing = reply.json<Members>()
  assert.deepEqual([reply.status, nothing.block, nothing.error], [200, false, 'Payment not found.'])
})

test('work is strong enough for what was asked, and its strength is told (contract 2, Work result; 4.1, rules 13 and 14; 4.1, Blocks and work: work_generate, work_validate)', async (t) => {
  const { call, sent } = await openTown(t)
  const found = (await call('work_generate', { hash: sent.toLowerCase() })).json<Members>()
  assert.deepEqual(
    Object.entries(found).map(([name, value]) => [name, typeof value]),
    Object.entries({
      hash: 'string',
      work: 'string',
      difficulty: 'string',
      multiplier: 'string',
      frontier: 'string',
      duration: 'string',
      credits: 'number',
      cached: 'boolean',
    }),
  )
  assert.match(String(found.duration), /^[0-9.]+s$/)
  const { network_minimum: send, network_receive_minimum: receive } = (await call('active_difficulty')).json()
  const strength = (await call('work_validate', { hash: sent, work: found.work, difficulty: send })).json()
  assert.deepEqual([strength.valid, strength.valid_all, strength.valid_receive], ['1', '1', '1'])
  assert.deepEqual([strength.difficulty, strength.multiplier], [found.difficulty, found.multiplier])
  const weak = (await call('work_validate', { hash: sent, work: '0000000000000000', multiplier: '1' })).json()
  assert.deepEqual([weak.valid, weak.valid_all], ['0', '0'])
  assert.equal((await call('work_validate', { hash: sent, work: found.work })).json().valid, undefined)
  const easy = (await call('work_generate', { hash: 'A'.repeat(64), subtype: 'receive' })).json()
  assert.ok(BigInt(`0x${easy.difficulty}`) >= BigInt(`0x${receive}`))
  const hard = (await call('work_generate', { hash: 'B'.repeat(64), multiplier: '2' })).json()
  assert.ok(Number(hard.multiplier) >= 2)
  const tooHard = await call('work_generate', { hash: sent, difficulty: 'ffffffffffffffff' })
  assert.deepEqual([tooHard.status, tooHard.json().field], [400, 'difficulty'])
})

test('version, counts, keys and units answer exactly (contract 4.1, Node and account reads: version, block_count, account_key; 4.1, Units, prices, market, representatives: nano_to_raw, raw_to_nano; 4.1, rule 9; 9, rules 1 and 2; 9, Synonyms: block_count answer)', async (t) => {
  const { call } = await openTown(t)
  const version = (await call('version')).json()
  for (const name of ['rpc_version', 'store_version', 'protocol_version', 'node_vendor', 'store_vendor', 'network']) {
    assert.equal(typeof version[name], 'string', name)
  }
  const counts = (await call('block_count')).json()
  assert.equal(counts.block_count, counts.count)
  assert.equal(counts.cemented_count, counts.cemented)
  assert.equal(counts.unchecked_count, counts.unchecked)
  assert.match(counts.block_count!, /^\d+$/)
  assert.equal((await call('account_key', { account: alice.address })).json().key, alice.key)
  const smallest = '0.000000000000000000000000000001'
  assert.deepEqual((await call('nano_to_raw', { amount: smallest })).json(), { raw: '1', amount: '1' })
  assert.deepEqual((await call('raw_to_nano', { amount: '1' })).json(), { nano: smallest, amount: smallest })
})
