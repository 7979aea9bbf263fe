import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatWork, workValue } from '../../src/kernel/nano/work.ts'
import { TestClock } from '../support/clock.ts'
import { row } from './row.ts'
import { alice, AT, bob, FUNDER, leaveUnfinished, openLedgerWorld, RAW } from './ledger-world.ts'

/* Contract 2, ledger: blocks, searched payments and work, field by field. */

type Members = Record<string, unknown>

const ZERO = '0'.repeat(64)
/** Work with a value of at least `least` and less than `below`. */
function findBetween(root: string, least: bigint, below: bigint): string {
  for (let nonce = 0n; ; nonce++) {
    const value = workValue(root, formatWork(nonce))
    if (value >= least && value < below) return formatWork(nonce)
  }
}

// One gateway for all tests, because none of them changes anything.
test('blocks and work', async (t) => {
  const world = await openLedgerWorld(t, { KNOWN_NAMES: JSON.stringify({ Bank: FUNDER }) }, new TestClock())
  const unfinished = await leaveUnfinished(world)

  await t.test(
    'block info has all its members, and its contents are an object unless they are not wanted so (contract 1, rule 7; 4.1, Blocks and work: block_info, blocks_info; 4.1, rules 7 and 10)',
    async () => {
      const { call, opened, sent, block } = world
      const whole = (await call('block_info', { hash: sent })).json<Members & { contents: Members }>()
      const { contents, ...around } = whole
      row(
        '2, Block info: block_account, amount, amount_nano, balance, balance_nano 1, height, local_timestamp, subtype',
        () =>
          assert.deepEqual(around, {
            block_account: alice.address,
            amount: RAW.two,
            amount_nano: '2',
            balance: RAW.eight,
            balance_nano: '8',
            height: '2',
            local_timestamp: AT.sent,
            successor: ZERO,
            confirmed: 'true',
            subtype: 'send',
          }),
      )
      const { signature, work, ...rest } = contents
      row(
        '2, Block info: contents, type, account, representative, link_as_account, previous, link, balance, balance_nano 2',
        () =>
          assert.deepEqual(rest, {
            type: 'state',
            account: alice.address,
            previous: opened,
            representative: FUNDER,
            balance: RAW.eight,
            balance_nano: '8',
            link: bob.key,
            link_as_account: bob.address,
          }),
      )
      row('2, Block info: signature, work', () => {
        assert.deepEqual([signature, work], [block.signature, block.work])
        assert.match(`${block.signature} ${block.work}`, /^[0-9A-F]{128} [0-9a-f]{16}$/)
      })
      const asText = (await call('block_info', { hash: sent, json_block: 'false' })).json()
      const { balance_nano: _, ...written } = contents
      assert.deepEqual(JSON.parse(asText.contents!), written)
      const unsure = (await call('block_info', { hash: unfinished.spent })).json()
      const first = (await call('block_info', { hash: opened })).json<{ contents: Members; successor: string }>()
      row('2, Block info: successor, confirmed', () => {
        assert.deepEqual([first.successor, around.successor], [sent, ZERO])
        assert.deepEqual([around.confirmed, unsure.confirmed], ['true', 'false'])
      })
      const { blocks: bare } = (await call('blocks_info', { hashes: [sent] })).json<{ blocks: Members }>()
      const source = String(first.contents.link)
      const flags = { source: 'true', receive_hash: 'true' }
      const { blocks } = (await call('blocks_info', { hashes: [sent, opened, source], ...flags })).json<{
        blocks: Record<string, Members>
      }>()
      row('2, Block info: blocks', () => {
        assert.deepEqual(bare, { [sent]: whole })
        assert.deepEqual(Object.keys(blocks), [sent, opened, source])
        assert.deepEqual(blocks[opened], { ...first, receive_hash: ZERO, source_account: FUNDER })
      })
      row('2, Block info: receive_hash, source_account', () =>
        assert.deepEqual(
          Object.values(blocks).map(({ receive_hash, source_account }) => [receive_hash, source_account]),
          [
            [ZERO, '0'],
            [ZERO, FUNDER],
            [opened, '0'],
          ],
        ),
      )
      const unknown = 'F'.repeat(64)
      const hashes = [sent, unknown]
      assert.deepEqual((await call('blocks_info', { hashes })).json(), { error: 'Block not found' })
      const some = (await call('blocks_info', { hashes, include_not_found: true })).json<Members>()
      row('2, Block info: blocks_not_found', () =>
        assert.deepEqual(some, { blocks: { [sent]: whole }, blocks_not_found: [unknown] }),
      )
    },
  )

  await t.test(
    'a payment is found by its exact amount, received or waiting, and not finding it is an answer (contract 4.1, Blocks and work: find_block; 4.1, rule 8; 7, Texts and codes: find_block without result)',
    async () => {
      const { call, opened, sent } = world
      const find = async (address: string, amount: string) =>
        (await call('find_block', { address, amount })).json<{ block: Members }>().block
      const amounts = (nano: string, raw: string) => ({ amount: nano, amount_nano: nano, amount_raw: raw })
      const [waiting, received] = [await find(bob.address, '2'), await find(alice.address, '10')]
      row(
        '2, Found block: type, account, local_timestamp, height, hash, confirmed, amount, amount_nano, amount_raw, username',
        () => {
          const his = { type: 'receivable', account: alice.address, height: '2', hash: sent, username: '' }
          const hers = { type: 'receive', account: FUNDER, height: '1', hash: opened, username: 'Bank' }
          const confirmed = 'true'
          assert.deepEqual(waiting, { ...his, ...amounts('2', RAW.two), local_timestamp: AT.sent, confirmed })
          assert.deepEqual(received, { ...hers, ...amounts('10', RAW.ten), local_timestamp: AT.opened, confirmed })
        },
      )
      const reply = await call('find_block', { address: bob.address, amount: '2.000000000000000000000000000001' })
      const nothing = reply.json<Members>()
      assert.deepEqual([reply.status, nothing.block, nothing.error], [200, false, 'Payment not found.'])
    },
  )

  await t.test(
    'work is strong enough for what was asked, and its strength is told (contract 4.1, rules 13 and 14; 4.1, Blocks and work: work_generate, work_validate)',
    async () => {
      const { call, sent } = world
      const { network_minimum: send, network_receive_minimum: receive } = (await call('active_difficulty')).json()
      const distance = (difficulty: string) => Number(2n ** 64n - BigInt(`0x${difficulty}`))
      /** The multiple of a send's difficulty. */
      const timesOf = (difficulty: string) => distance(send!) / distance(difficulty)
      const valueOf = (work: string) => workValue(sent, work).toString(16).padStart(16, '0')
      const near = (told: unknown, times: number) =>
        typeof told === 'string' && /^\d+\.\d+$/.test(told) && Math.abs(Number(told) / times - 1) < 1e-9

      const found = (await call('work_generate', { hash: sent.toLowerCase() })).json()
      const { work, difficulty, multiplier, ...rest } = found
      row('2, Work result: hash, frontier', () =>
        assert.deepEqual(rest, { hash: sent, frontier: sent, duration: '0.000s', credits: 0, cached: false }),
      )
      row('2, Work result: work, difficulty, multiplier; 1, Terms and units: work value', () => {
        assert.match(work!, /^[0-9a-f]{16}$/)
        assert.ok(workValue(sent, work!) >= BigInt(`0x${send}`))
        assert.equal(difficulty, valueOf(work!))
        assert.ok(near(multiplier, timesOf(difficulty)), multiplier)
      })
      const again = (await call('work_generate', { hash: sent })).json<Members>()
      assert.deepEqual([again.work, again.credits, again.cached], [work, 0, true])

      const sound = { valid_all: '1', valid_receive: '1', difficulty, multiplier }
      const weak = (await call('work_validate', { hash: sent, work: '0000000000000000' })).json()
      row('2, Work validation: difficulty, multiplier', () => {
        assert.equal(weak.difficulty, valueOf('0000000000000000'))
        assert.ok(near(weak.multiplier, timesOf(weak.difficulty)), weak.multiplier)
      })
      // Enough for a receive, but not for a send.
      const between = findBetween(sent, BigInt(`0x${receive}`), BigInt(`0x${send}`))
      const middling = (await call('work_validate', { hash: sent, work: between })).json()
      const strong = (await call('work_validate', { hash: sent, work })).json()
      row('2, Work validation: valid_all, valid_receive', () => {
        assert.deepEqual(strong, sound)
        assert.deepEqual([middling.valid_all, middling.valid_receive], ['0', '1'])
        assert.deepEqual([weak.valid_all, weak.valid_receive], ['0', '0'])
      })
      const asked = async (fields: object) => (await call('work_validate', { hash: sent, ...fields })).json().valid
      const verdicts = [
        await asked({ work, difficulty: send }),
        await asked({ work: between, difficulty: send }),
        await asked({ work: between, multiplier: '1' }),
        await asked({ work: between, difficulty: receive }),
      ]
      row('2, Work validation: valid', () => {
        assert.deepEqual(verdicts, ['1', '0', '0', '1'])
        assert.equal('valid' in strong, false)
      })
      const easy = (await call('work_generate', { hash: 'A'.repeat(64), subtype: 'receive' })).json()
      assert.ok(BigInt(`0x${easy.difficulty}`) >= BigInt(`0x${receive}`))
      const hard = (await call('work_generate', { hash: 'B'.repeat(64), multiplier: '2' })).json()
      assert.ok(Number(hard.multiplier) >= 2)
      const tooHard = await call('work_generate', { hash: sent, difficulty: 'ffffffffffffffff' })
      assert.deepEqual([tooHard.status, tooHard.json().field], [400, 'difficulty'])
    },
  )

  await t.test(
    'version, counts, keys and units answer exactly (contract 1, Product areas: 7. Data and conversion; 4.1, Node and account reads: version, block_count, account_key; 4.1, Units, prices, market, representatives: nano_to_raw, raw_to_nano; 4.1, rule 9; 9, rules 1 and 2; 9, Synonyms: block_count answer)',
    async () => {
      const { call } = world
      const version = (await call('version')).json()
      const { rpc_version, store_version, protocol_version, node_vendor, store_vendor, network } = version
      const texts = { rpc_version, store_version, protocol_version, node_vendor, store_vendor, network }
      for (const [name, text] of Object.entries(texts)) assert.equal(typeof text, 'string', name)
      const counts = (await call('block_count')).json()
      const { block_count, cemented_count, unchecked_count } = counts
      assert.deepEqual(
        [block_count, cemented_count, unchecked_count],
        [counts.count, counts.cemented, counts.unchecked],
      )
      assert.match(counts.block_count!, /^\d+$/)
      assert.equal((await call('account_key', { account: alice.address })).json().key, alice.key)
      const smallest = '0.000000000000000000000000000001'
      assert.deepEqual((await call('nano_to_raw', { amount: smallest })).json(), { raw: '1', amount: '1' })
      assert.deepEqual((await call('raw_to_nano', { amount: '1' })).json(), { nano: smallest, amount: smallest })
    },
  )
})
