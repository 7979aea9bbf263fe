import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Signer, UNOPENED, frontierOf, give, nano, publish } from '../support/blocks.ts'
import { ask } from '../support/gateway.ts'
import { WsClient } from '../support/ws-client.ts'
import { assertRefusal } from './refusal.ts'
import { alice, bob, openLedgerWorld } from './ledger-world.ts'
import { another } from '../support/another.ts'

/* Contract 4.1: reads from the ledger, with the exact values of a small ledger. */

type Members = Record<string, unknown>

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const SUPPLY = 2n ** 128n - 1n
const NANO = 10n ** 30n
const NOBODY = new Signer(9).address
const UNKNOWN = 'F'.repeat(64)
/** The gateway itself sends some of these requests at its start, and would cache the early answers. */
const FRESH = { CACHE_BYTES_MAX: '0' }

test('reads of a small ledger', async (t) => {
  const { call, app, url, opened, sent } = await openLedgerWorld(t, {
    ...FRESH,
    KNOWN_NAMES: JSON.stringify({ Alice: alice.address, Mint: GENESIS }),
  })
  const get = async (action: string, fields: object = {}) => (await call(action, fields)).json<Members>()

  await t.test(
    'accounts: representative, weight, counts, keys and supply (contract 4.1, Further node reads: account_representative, accounts_representatives, account_weight, account_block_count, account_get, validate_account_number, available_supply, frontier_count, delegators, delegators_count, representatives, representatives_online)',
    async () => {
      const account = alice.address
      assert.deepEqual(await get('account_representative', { account }), { representative: GENESIS })
      assert.deepEqual(await get('account_representative', { account: NOBODY }), { error: 'Account not found' })
      assert.deepEqual(await get('accounts_representatives', { accounts: ['@alice', account] }), {
        representatives: { '@alice': GENESIS, [account]: GENESIS },
      })
      assert.deepEqual(await get('accounts_representatives', { accounts: [account, NOBODY, 'x', '@nobody'] }), {
        representatives: { [account]: GENESIS },
        errors: { [NOBODY]: 'Account not found', x: 'Bad account number', '@nobody': 'Username not found.' },
      })
      // Bob's receivable amount has no representative until he receives it.
      const weight = `${SUPPLY - 2n * NANO}`
      const weights = { weight, weight_nano: '340282364.920938463463374607431768211455' }
      assert.deepEqual(await get('account_weight', { account: GENESIS }), weights)
      assert.deepEqual(await get('account_weight', { account: NOBODY }), { weight: '0', weight_nano: '0' })
      assert.deepEqual(await get('account_block_count', { account }), { block_count: '2' })
      assert.deepEqual(await get('account_block_count', { account: bob.address }), { error: 'Account not found' })
      assert.deepEqual(await get('account_get', { key: alice.key.toLowerCase() }), { account })
      const bad = await call('account_get', { key: 'AB' })
      assert.deepEqual([bad.status, bad.json().error, bad.json().field], [400, 'Bad public key', 'key'])
      // An address with a dash is valid but reported as the old form, at both endpoints.
      const validate = (account: string) => get('validate_account_number', { account })
      const [dashed, old] = [account.replace('_', '-'), { deprecated_account_format: '1', valid: '1' }]
      assert.deepEqual(await validate(account), { valid: '1' })
      for (const given of [dashed, dashed.replace('nano-', 'xrb-')]) assert.deepEqual(await validate(given), old)
      for (const right of [account, dashed]) assert.deepEqual(await validate(another(right)), { valid: '0' })
      const body = JSON.stringify({ action: 'validate_account_number', account: dashed })
      assert.deepEqual((await ask(`${url}/node`, { body })).json(), old)
      assert.deepEqual(await get('available_supply'), { available: `${10n * NANO}`, available_nano: '10' })
      assert.deepEqual(await get('frontier_count'), { count: '2' })
      const { delegators } = await get('delegators', { account: GENESIS })
      assert.deepEqual(delegators, { [account]: `${8n * NANO}`, [GENESIS]: `${SUPPLY - 10n * NANO}` })
      assert.deepEqual(await get('delegators', { account: GENESIS, threshold: `${9n * NANO}` }), {
        delegators: { [GENESIS]: `${SUPPLY - 10n * NANO}` },
      })
      assert.deepEqual(await get('delegators', { account }), { delegators: '' })
      assert.deepEqual(await get('delegators_count', { account: GENESIS }), { count: '2' })
      assert.deepEqual(await get('representatives', { count: '-1' }), { representatives: { [GENESIS]: weight } })
      assert.deepEqual(await get('representatives_online'), { representatives: [GENESIS] })
      const online = await get('representatives_online', { weight: 'true', accounts: [GENESIS] })
      assert.deepEqual(online, { representatives: { [GENESIS]: weights } })
    },
  )

  await t.test(
    'blocks: contents, owner, hash, neighbours and what waits, by either name (contract 4.1, Further node reads: block, block_account, block_hash, blocks, chain, successors, receivable_exists; 4.1, Blocks and work: block_info, blocks_info; 4.1, rules 7 and 10; 9, Synonyms: action block_info, action receivable_exists, blocks_info)',
    async () => {
      const info = await get('block_info', { hash: sent })
      assert.deepEqual(await get('block', { hash: sent }), info)
      const { contents } = info
      const small = sent.toLowerCase()
      const listed = { [small]: contents }
      assert.deepEqual(await get('blocks', { hashes: [small] }), { blocks: listed })
      assert.deepEqual(await get('blocks', { hashes: [sent, UNKNOWN] }), { error: 'Block not found' })
      const listing = (...hashes: string[]) => get('blocks', { hashes, include_not_found: 'true' })
      assert.deepEqual(await listing(small, UNKNOWN), { blocks: listed, blocks_not_found: [UNKNOWN] })
      assert.deepEqual(await listing(UNKNOWN), { blocks: '', blocks_not_found: [UNKNOWN] })
      assert.deepEqual(await listing(small), { blocks: listed, blocks_not_found: '' })
      assert.deepEqual((await get('blocks_info', { hashes: [sent] })).blocks, { [sent]: info })
      // An object by default, and text on request, because bananojs parses text and fails on an object.
      const { balance_nano: _, ...written } = contents as Members
      const contentsOf = async (json_block: unknown) => {
        const many = (await get('blocks_info', { hashes: [sent], json_block })).blocks as Record<string, Members>
        const plain = (await get('blocks', { hashes: [sent], json_block })).blocks as Members
        return [(await get('block_info', { hash: sent, json_block })).contents, many[sent]!.contents, plain[sent]]
      }
      for (const no of [false, 'false', 0, '0']) {
        for (const text of await contentsOf(no)) assert.deepEqual(JSON.parse(text as string), written)
      }
      for (const yes of [undefined, true, 'true']) assert.deepEqual(await contentsOf(yes), Array(3).fill(contents))
      for (const receivable of ['receivable', 'pending']) {
        const waiting = (await get('blocks_info', { hashes: [sent, opened], [receivable]: true })).blocks
        const [one, other] = Object.values(waiting as Record<string, Members>)
        assert.deepEqual([one!.receivable, one!.pending, other!.receivable], ['1', '1', '0'])
      }
      const wrong = await call('blocks_info', { hashes: [sent, 'xyz'] })
      assertRefusal(wrong, 400, 'Bad hash number', 'invalid_hash')
      assert.equal(wrong.json().field, 'hashes[1]')
      assert.deepEqual(await get('block_account', { hash: sent }), { account: alice.address })
      assert.deepEqual(await get('block_account', { hash: UNKNOWN }), { error: 'Block not found' })
      assert.deepEqual(await get('block_hash', { block: written }), { hash: sent })
      assert.deepEqual(await get('block_hash', { block: JSON.stringify(written) }), { hash: sent })
      const invalid = await call('block_hash', { block: { ...written, previous: 'x' } })
      assert.deepEqual([invalid.status, invalid.json().error, invalid.json().field], [400, 'Block is invalid', 'block'])

      assert.deepEqual(await get('chain', { block: sent, count: '-1' }), { blocks: [sent, opened] })
      assert.deepEqual(await get('chain', { block: sent, count: 1, offset: '1' }), { blocks: [opened] })
      assert.deepEqual(await get('successors', { block: opened, count: '10' }), { blocks: [opened, sent] })
      const back = await get('successors', { block: sent, count: '10', reverse: 'true' })
      assert.deepEqual(back, { blocks: [sent, opened] })
      for (const action of ['chain', 'successors']) {
        const none = await call(action, { block: sent, count: '0' })
        assert.deepEqual([none.status, none.json().error, none.json().field], [400, 'Invalid count', 'count'])
      }
      for (const action of ['receivable_exists', 'pending_exists']) {
        assert.deepEqual(await get(action, { hash: sent }), { exists: '1' })
        assert.deepEqual(await get(action, { hash: opened }), { exists: '0' })
        assert.deepEqual(await get(action, { hash: UNKNOWN }), { error: 'Block not found' })
      }
    },
  )

  await t.test(
    'frontiers of many or one, and entries that name their counterparty where it has a name (contract 4.1, Node and account reads: accounts_frontiers, accounts_balances, account_history; 4.1, rules 7 and 11; 9, Synonyms: action accounts_frontiers, accounts_frontiers)',
    async () => {
      const accounts = ['@ALICE', bob.address, '@nobody', 'x']
      for (const action of ['accounts_frontiers', 'account_frontiers']) {
        assert.deepEqual(await get(action, { accounts }), {
          frontiers: { '@ALICE': sent },
          errors: { [bob.address]: 'Account not found', '@nobody': 'Username not found.', x: 'Bad account number' },
        })
        assert.deepEqual(await get(action, { account: alice.address }), { frontiers: { [alice.address]: sent } })
      }
      const missing = await call('accounts_frontiers')
      assert.deepEqual([missing.status, missing.json().field], [400, 'accounts'])
      const balances = await get('accounts_balances', { accounts: ['x', bob.address] })
      assert.deepEqual(Object.keys(balances.balances as Members), [bob.address])
      assert.deepEqual(balances.errors, { x: 'Bad account number' })
      assert.ok(!('errors' in (await get('accounts_balances', { accounts: [bob.address] }))))

      const { history } = await get('account_history', { account: '@alice', count: '-1' })
      const [gave, got, ...more] = (history as Members[]).map(({ type, account, username }) => [
        type,
        account,
        username,
      ])
      assert.deepEqual([gave, more], [['send', bob.address, undefined], []])
      assert.deepEqual(got, ['receive', GENESIS, 'Mint'])
      const [entry] = (await call('receivable', { account: bob.address, array: 'true' })).json<Members[]>()
      assert.deepEqual([entry!.source, entry!.username], [alice.address, 'Alice'])
      const { blocks } = await get('accounts_receivable', { accounts: [bob.address] })
      assert.equal((blocks as Record<string, Record<string, Members>>)[bob.address]![sent]!.username, 'Alice')
    },
  )

  await t.test(
    'the network: thresholds, quorum, telemetry, peers, time and an open election (contract 4.1, Further node reads: active_difficulty, confirmation_quorum, confirmation_info, telemetry, uptime, peers; 4.1, Node and account reads: version, block_count; 9, rule 2)',
    async () => {
      assert.deepEqual(await get('version'), {
        ...{ rpc_version: '1', store_version: '24', protocol_version: '21' },
        ...{ node_vendor: 'Nano V27.1', store_vendor: 'LMDB 0.9.70', build_info: 'nano-gateway development ledger' },
        ...{ network: 'dev', network_identifier: DEV_NETWORK.genesisHash },
      })
      assert.deepEqual(await get('block_count'), {
        ...{ count: '6', unchecked: '0', cemented: '6' },
        ...{ block_count: '6', unchecked_count: '0', cemented_count: '6' },
      })
      assert.deepEqual(await get('active_difficulty'), {
        ...{ deprecated: '1', multiplier: '1' },
        ...{ network_minimum: 'ffc0000000000000', network_receive_minimum: 'f000000000000000' },
        ...{ network_current: 'ffc0000000000000', network_receive_current: 'f000000000000000' },
      })
      const oneRaw = '0.000000000000000000000000000001'
      const share = {
        quorum_delta: `${(SUPPLY * 67n) / 100n}`,
        quorum_delta_nano: '227989185.837028770520460986979284701674',
      }
      const total = {
        online_stake_total: `${SUPPLY}`,
        online_stake_total_nano: '340282366.920938463463374607431768211455',
      }
      assert.deepEqual(await get('confirmation_quorum', { peer_details: 'true' }), {
        ...{ ...share, ...total, online_weight_quorum_percent: '67', peers: '' },
        ...{ online_weight_minimum: '1', online_weight_minimum_nano: oneRaw },
        ...{ trended_stake_total: '1', trended_stake_total_nano: oneRaw },
        ...{ peers_stake_total: '0', peers_stake_total_nano: '0' },
      })
      const { block_count, cemented_count, unchecked_count, account_count, peer_count, uptime } = await get('telemetry')
      const counts = [block_count, cemented_count, unchecked_count, account_count, peer_count]
      assert.deepEqual(counts, ['6', '6', '0', '2', '0'])
      assert.match(String(uptime), /^\d+$/)
      assert.deepEqual(await get('telemetry', { raw: 1 }), { metrics: '' })
      assert.match(String((await get('uptime')).seconds), /^\d+$/)
      assert.deepEqual(await get('peers'), { peers: '' })

      const root = sent + sent
      assert.deepEqual(await get('confirmation_info', { root }), { error: 'Active confirmation not found' })
      const { node } = app.devnet!
      node.hold()
      const change = new Signer(1, node.ledger.thresholds).change(frontierOf(node, alice.key), bob.key)
      const hash = await publish(node, change)
      assert.deepEqual(await get('confirmation_info', { root, contents: 'false' }), {
        ...{ announcements: '0', voters: '1', last_winner: hash, total_tally: '0', total_tally_nano: '0' },
        ...{ final_tally: '0', final_tally_nano: '0', blocks: { [hash]: { tally: '0', tally_nano: '0' } } },
      })
      const full = (await get('confirmation_info', { root, json_block: true })).blocks as Record<string, Members>
      assert.deepEqual(full[hash]!.contents, { ...toBlockJson(change), balance_nano: '8' })
      assert.equal(hashBlock(change), hash)
      const short = await call('confirmation_info', { root: 'xy' })
      assert.deepEqual([short.status, short.json().error, short.json().field], [400, 'Invalid root hash', 'root'])
    },
  )

  await t.test(
    'accounts_pending has the shapes that the node gives it, by its flags (contract 4.1, Node and account reads: accounts_pending; 4.1, Receivable: accounts_pending, accounts_pending with threshold, accounts_pending with source)',
    async () => {
      const ask = (fields: object) => get('accounts_pending', { accounts: [bob.address, alice.address], ...fields })
      const amount = `${2n * NANO}`
      assert.deepEqual(await ask({}), { blocks: { [bob.address]: [sent] } })
      assert.deepEqual(await ask({ threshold: '1' }), { blocks: { [bob.address]: { [sent]: amount } } })
      assert.deepEqual(await ask({ sorting: true }), { blocks: { [bob.address]: { [sent]: amount } } })
      const known = { amount, amount_nano: '2', source: alice.address, username: 'Alice' }
      assert.deepEqual(await ask({ source: 'true' }), { blocks: { [bob.address]: { [sent]: known } } })
      assert.deepEqual(await ask({ accounts: [alice.address] }), { blocks: '' })
      const errors = { '@nobody': 'Username not found.' }
      assert.deepEqual(await ask({ accounts: ['@nobody', bob.address] }), { blocks: { [bob.address]: [sent] }, errors })
      assert.equal((await ask({ accounts: ['nano_wrong'] })).error, 'Bad account number')
    },
  )

  await t.test(
    'block_confirm starts a vote on what waits, and makes no node shout of what is confirmed (contract 4.1, Further node reads: block_confirm)',
    async () => {
      const { node, wsUrl } = app.devnet!
      const listener = await WsClient.connect(t, wsUrl)
      listener.send({ action: 'subscribe', topic: 'confirmation', ack: true })
      await listener.settle()
      assert.deepEqual(await get('block_confirm', { hash: opened }), { started: '1' })
      assert.deepEqual(await listener.settle(), [])
      node.hold()
      const carol = new Signer(7, node.ledger.thresholds)
      const block = carol.receive(UNOPENED, await node.fund(carol.key, nano(1)), nano(1))
      const { hash } = (await call('process', { block: toBlockJson(block) })).json()
      // Its own send is held as well, so that nobody votes on it yet.
      assert.equal(node.isActive(node.ledger.store.findBlock(hash!)!), false)
      assert.deepEqual(await get('block_confirm', { hash }), { started: '1' })
      assert.equal(node.isActive(node.ledger.store.findBlock(hash!)!), true)
      assert.deepEqual(await get('block_confirm', { hash: UNKNOWN }), { error: 'Block not found' })
      const wrong = await call('block_confirm', { hash: 'q' })
      assert.deepEqual([wrong.status, wrong.json().error], [400, 'Invalid block hash'])
    },
  )
})

test('no answer lists more than it may, whatever count is asked for (contract 4.1, Further node reads: chain, successors, delegators, representatives; 4.1, Node and account reads: account_history, receivable)', async (t) => {
  const { call, app, opened, sent } = await openLedgerWorld(t, { ...FRESH, COUNT_MAX: '1' })
  const { node } = app.devnet!
  await give(node, bob.key, 1n as never)
  const get = async (action: string, fields: object) => (await call(action, fields)).json<Members>()
  for (const count of ['-1', '1000', 2]) {
    assert.deepEqual((await get('chain', { block: sent, count })).blocks, [sent])
    assert.deepEqual((await get('successors', { block: opened, count })).blocks, [opened])
    assert.equal(Object.keys((await get('delegators', { account: GENESIS, count })).delegators as Members).length, 1)
    assert.equal(Object.keys((await get('representatives', { count })).representatives as Members).length, 1)
    const { history, previous } = await get('account_history', { account: alice.address, count })
    assert.deepEqual([(history as Members[]).length, previous], [1, opened])
    assert.equal((await call('receivable', { account: bob.address, count, array: true })).json<Members[]>().length, 1)
  }
})
