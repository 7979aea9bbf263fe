import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Signer } from '../support/blocks.ts'
import { row } from './row.ts'
import { alice, bob, openTown } from './town.ts'

/* Contract 2, ledger: every member of every object, with the type that the contract gives it. */

type Members = Record<string, unknown>

const ZERO = '0'.repeat(64)
const EIGHT = '8000000000000000000000000000000'
const TEN = '10000000000000000000000000000000'
const TWO = '2000000000000000000000000000000'

// One gateway for all: nothing here changes anything.
test('the objects of the ledger', async (t) => {
  const names = { Alice: alice.address, Bank: toAddress(DEV_NETWORK.genesisAccount) }
  const town = await openTown(t, { KNOWN_NAMES: JSON.stringify(names) })

  await t.test(
    'account info has all its members, as texts (contract 2, Account info; 4.1, Node and account reads: account_info; 4.1, rule 12; 9, Synonyms: account_info)',
    async () => {
      const { call, opened, sent } = town
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
      const named = (await call('account_info', { account: '@alice' })).json<Members>()
      assert.deepEqual(named, { ...info, address: alice.address })
      const { representative, weight, weight_nano, ...plain } = (
        await call('account_info', { account: alice.address, representative: true, weight: '1' })
      ).json<Members>()
      assert.deepEqual(plain, info)
      assert.match(String(representative), /^nano_[13]/)
      // Nobody has chosen Alice to vote for them.
      assert.deepEqual([weight, weight_nano], ['0', '0'])
      for (const receivable of ['receivable', 'pending']) {
        const flags = { representative: true, [receivable]: 1, include_confirmed: '1' }
        const more = (await call('account_info', { account: bob.address, ...flags })).json<Members>()
        assert.equal(more.error, 'Account not found', 'an account without blocks has no info')
        const of = (await call('account_info', { account: alice.address, ...flags })).json<Members>()
        assert.deepEqual(of, {
          ...info,
          representative,
          confirmed_balance: EIGHT,
          confirmed_balance_nano: '8',
          confirmed_height: '2',
          confirmed_frontier: sent,
          confirmed_representative: representative,
          receivable: '0',
          receivable_nano: '0',
          pending: '0',
          pending_nano: '0',
          confirmed_receivable: '0',
          confirmed_receivable_nano: '0',
          confirmed_pending: '0',
          confirmed_pending_nano: '0',
        })
      }
    },
  )

  await t.test(
    'a balance has its three amounts in raw and nano, also of an account that was never opened (contract 2, Balance object; 2, rules 20 and 21; 4.1, rule 6; 4.1, Node and account reads: account_balance, accounts_balances)',
    async () => {
      const { call } = town
      const waiting = {
        balance: '0',
        balance_nano: '0',
        pending: TWO,
        pending_nano: '2',
        receivable: TWO,
        receivable_nano: '2',
      }
      assert.deepEqual((await call('account_balance', { account: bob.address })).json(), waiting)
      const nothing = { pending: '0', pending_nano: '0', receivable: '0', receivable_nano: '0' }
      const nobody = new Signer(9).address
      const zeros = { balance: '0', balance_nano: '0', ...nothing }
      assert.deepEqual((await call('account_balance', { account: nobody })).json(), zeros)
      const hers = { balance: EIGHT, balance_nano: '8', ...nothing, address: alice.address }
      assert.deepEqual((await call('account_balance', { account: '@ALICE' })).json(), hers)
      const accounts = [bob.address, '@aLiCe', nobody, 'nano_1', '@nobody']
      const reply = await call('accounts_balances', { accounts })
      assert.equal(reply.status, 200)
      assert.deepEqual(reply.json(), {
        balances: { [bob.address]: waiting, '@aLiCe': hers, [nobody]: zeros },
        errors: { nano_1: 'Bad account number', '@nobody': 'Username not found.' },
      })
    },
  )

  await t.test(
    'history has account, entries and previous (contract 2, History entry; 4.1, Node and account reads: account_history)',
    async () => {
      const { call, opened, sent } = town
      const read = async (account: string, count: string) => {
        const { history, ...rest } = (await call('account_history', { account, count })).json<Members>()
        return { entries: history, rest }
      }
      const stamped = (entries: unknown) =>
        (entries as Members[]).map(({ local_timestamp, ...entry }) => {
          assert.match(String(local_timestamp), /^\d{10}$/)
          return entry
        })
      const out = { type: 'send', account: bob.address, amount: TWO, amount_nano: '2', height: '2', hash: sent }
      const page = await read(alice.address, '1')
      assert.deepEqual(page.rest, { account: alice.address, previous: opened })
      assert.deepEqual(stamped(page.entries), [{ ...out, confirmed: 'true' }])
      const all = await read('@alice', '-1')
      assert.deepEqual(all.rest, { account: alice.address, address: alice.address }, 'nothing is older')
      const funder = toAddress(DEV_NETWORK.genesisAccount)
      const came = { type: 'receive', account: funder, amount: TEN, amount_nano: '10', height: '1', hash: opened }
      assert.deepEqual(stamped(all.entries), [
        { ...out, confirmed: 'true' },
        { ...came, confirmed: 'true', username: 'Bank' },
      ])
      assert.deepEqual(await read(bob.address, '5'), { entries: '', rest: { account: bob.address } })
    },
  )

  await t.test(
    'what waits is shown in each of its forms (contract 2, Receivable entry; 4.1, Node and account reads: receivable, pending, accounts_receivable)',
    async () => {
      const { call, sent } = town
      const account = bob.address
      for (const action of ['receivable', 'pending']) {
        const ask = async (fields: object) => (await call(action, { account, count: '5', ...fields })).json<Members>()
        const entry = { amount: TWO, amount_nano: '2', source: alice.address, username: 'Alice' }
        const [list, hashes, amounts, sources] = [
          await ask({ array: 'true' }),
          await ask({}),
          await ask({ threshold: '1' }),
          await ask({ source: 'true' }),
        ]
        const none = (await call(action, { account: alice.address, array: true })).json()
        row('4.1, Receivable: receivable with array', () =>
          assert.deepEqual([list, none], [[{ hash: sent, ...entry }], []]),
        )
        row('4.1, Receivable: receivable', () => assert.deepEqual(hashes, { blocks: [sent] }))
        row('4.1, Receivable: receivable with threshold', () => assert.deepEqual(amounts, { blocks: { [sent]: TWO } }))
        row('4.1, Receivable: receivable with source', () => assert.deepEqual(sources, { blocks: { [sent]: entry } }))
        assert.equal((await call(action, { account: alice.address })).json().blocks, '')
      }
      for (const action of ['accounts_receivable', 'accounts_pending']) {
        const { blocks } = (await call(action, { accounts: [account, alice.address] })).json<{ blocks: Members }>()
        const entry = { amount: TWO, amount_nano: '2', source: alice.address, username: 'Alice' }
        row('4.1, Receivable: accounts_receivable', () => assert.deepEqual(blocks, { [account]: { [sent]: entry } }))
        assert.equal((await call(action, { accounts: [alice.address] })).json().blocks, '')
      }
    },
  )

  await t.test(
    'block info has all its members, and its contents are an object unless they are not wanted so (contract 2, Block info; 4.1, Blocks and work: block_info, blocks_info; 4.1, rules 7 and 10)',
    async () => {
      const { call, opened, sent } = town
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
      const asText = (await call('block_info', { hash: sent, json_block: 'false' })).json()
      const { balance_nano: _, ...written } = contents as Members
      assert.deepEqual(JSON.parse(asText.contents!), written)
      const whole = { ...block, local_timestamp, contents }
      const { blocks: bare } = (await call('blocks_info', { hashes: [sent] })).json<{ blocks: Members }>()
      assert.deepEqual(bare, { [sent]: whole })
      const flags = { source: 'true', receive_hash: 'true' }
      const { blocks } = (await call('blocks_info', { hashes: [sent, opened], ...flags })).json<{
        blocks: Record<string, Members>
      }>()
      assert.deepEqual(Object.keys(blocks), [sent, opened])
      assert.deepEqual(blocks[sent], { ...whole, receive_hash: ZERO, source_account: '0' })
      const { receive_hash, source_account, subtype, successor } = blocks[opened]!
      const funder = toAddress(DEV_NETWORK.genesisAccount)
      assert.deepEqual([receive_hash, source_account, subtype, successor], [ZERO, funder, 'receive', sent])
      const unknown = 'F'.repeat(64)
      assert.equal((await call('blocks_info', { hashes: [sent, unknown] })).json().error, 'Block not found')
      const some = (await call('blocks_info', { hashes: [sent, unknown], include_not_found: true })).json<Members>()
      assert.deepEqual(some.blocks_not_found, [unknown])
    },
  )

  await t.test(
    'a payment is found by its exact amount, received or waiting, and not finding it is an answer (contract 2, Found block; 4.1, Blocks and work: find_block; 4.1, rule 8; 7, Texts and codes: find_block without result)',
    async () => {
      const { call, opened, sent } = town
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
      const { local_timestamp, ...received } = (await find(alice.address, '10')).block
      assert.match(String(local_timestamp), /^\d{10}$/)
      assert.deepEqual(received, {
        type: 'receive',
        account: toAddress(DEV_NETWORK.genesisAccount),
        amount: '10',
        amount_nano: '10',
        amount_raw: TEN,
        height: '1',
        hash: opened,
        confirmed: 'true',
        username: 'Bank',
      })
      const reply = await call('find_block', { address: bob.address, amount: '2.000000000000000000000000000001' })
      const nothing = reply.json<Members>()
      assert.deepEqual([reply.status, nothing.block, nothing.error], [200, false, 'Payment not found.'])
    },
  )

  await t.test(
    'work is strong enough for what was asked, and its strength is told (contract 2, Work result; 2, Work validation; 4.1, rules 13 and 14; 4.1, Blocks and work: work_generate, work_validate)',
    async () => {
      const { call, sent } = town
      const found = (await call('work_generate', { hash: sent.toLowerCase() })).json<Members>()
      const { work, difficulty, multiplier, duration, ...rest } = found
      assert.deepEqual(rest, { hash: sent, frontier: sent, credits: 0, cached: false })
      assert.match(String(work), /^[0-9a-f]{16}$/)
      assert.match(String(difficulty), /^[0-9a-f]{16}$/)
      assert.match(String(multiplier), /^\d+\.\d+$/)
      assert.match(String(duration), /^\d+\.\d+s$/)
      assert.equal(typeof duration, 'string')
      const again = (await call('work_generate', { hash: sent })).json<Members>()
      assert.deepEqual([again.work, again.credits, again.cached], [work, 0, true])
      const { network_minimum: send, network_receive_minimum: receive } = (await call('active_difficulty')).json()
      const strength = (await call('work_validate', { hash: sent, work, difficulty: send })).json()
      const sound = { valid_all: '1', valid_receive: '1', difficulty, multiplier }
      assert.deepEqual(strength, { valid: '1', ...sound })
      assert.deepEqual((await call('work_validate', { hash: sent, work })).json(), sound)
      const weak = (await call('work_validate', { hash: sent, work: '0000000000000000', multiplier: '1' })).json()
      assert.deepEqual([weak.valid, weak.valid_all, weak.valid_receive], ['0', '0', '0'])
      assert.match(String(weak.difficulty), /^[0-9a-f]{16}$/)
      assert.match(String(weak.multiplier), /^0\.\d+$/)
      const easy = (await call('work_generate', { hash: 'A'.repeat(64), subtype: 'receive' })).json()
      assert.ok(BigInt(`0x${easy.difficulty}`) >= BigInt(`0x${receive}`))
      const hard = (await call('work_generate', { hash: 'B'.repeat(64), multiplier: '2' })).json()
      assert.ok(Number(hard.multiplier) >= 2)
      const tooHard = await call('work_generate', { hash: sent, difficulty: 'ffffffffffffffff' })
      assert.deepEqual([tooHard.status, tooHard.json().field], [400, 'difficulty'])
    },
  )

  await t.test(
    'version, counts, keys and units answer exactly (contract 4.1, Node and account reads: version, block_count, account_key; 4.1, Units, prices, market, representatives: nano_to_raw, raw_to_nano; 4.1, rule 9; 9, rules 1 and 2; 9, Synonyms: block_count answer)',
    async () => {
      const { call } = town
      const version = (await call('version')).json()
      for (const name of [
        'rpc_version',
        'store_version',
        'protocol_version',
        'node_vendor',
        'store_vendor',
        'network',
      ]) {
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
    },
  )
})
