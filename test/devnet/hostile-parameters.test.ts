import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openControls } from '../../src/devnet/rpc/controls.ts'
import { oldUnits } from '../../src/devnet/rpc/units.ts'
import type { Devnet } from '../../src/devnet/index.ts'
import { ZERO_HASH } from '../../src/kernel/nano/block.ts'
import { repeat } from '../support/random.ts'
import { answerOf, assertAlive, openTarget, toBody } from './hostile-target.ts'

/** Every action with all its parameters. */
const ACTIONS: Record<string, string[]> = {
  account_balance: ['account', 'include_only_confirmed'],
  account_block_count: ['account'],
  account_count: [],
  account_get: ['key'],
  account_history: ['account', 'count', 'offset', 'reverse', 'raw', 'account_filter', 'head'],
  account_info: ['account', 'representative', 'weight', 'pending', 'receivable', 'include_confirmed'],
  account_key: ['account'],
  account_representative: ['account'],
  account_weight: ['account'],
  accounts_balances: ['accounts', 'include_only_confirmed', 'account'],
  accounts_frontiers: ['accounts', 'account'],
  frontiers: ['account', 'count'],
  accounts_pending: ['accounts', 'count', 'threshold', 'source', 'sorting', 'include_active', 'include_only_confirmed'],
  accounts_receivable: ['accounts', 'count', 'threshold', 'source', 'sorting', 'include_only_confirmed'],
  accounts_representatives: ['accounts', 'account'],
  active_difficulty: ['include_trend'],
  available_supply: [],
  block: ['hash', 'json_block'],
  block_account: ['hash'],
  block_confirm: ['hash'],
  block_count: [],
  block_create: `type key previous representative balance link work difficulty multiplier version wallet account
    destination source amount json_block`.split(/\s+/),
  block_hash: ['block', 'json_block'],
  block_info: ['hash', 'json_block'],
  blocks: ['hashes', 'json_block', 'include_not_found'],
  blocks_info: ['hashes', 'json_block', 'pending', 'receivable', 'receive_hash', 'source', 'include_not_found'],
  chain: ['block', 'count', 'offset', 'reverse'],
  confirmation_history: ['hash'],
  confirmation_info: ['root', 'contents', 'json_block', 'representatives'],
  confirmation_quorum: ['peer_details'],
  delegators: ['account', 'count', 'threshold', 'start'],
  delegators_count: ['account'],
  deterministic_key: ['seed', 'index'],
  devnet_confirm: ['hash'],
  devnet_drop: ['hash'],
  devnet_dump: [],
  devnet_fault: ['target', 'kind', 'ms', 'count'],
  devnet_fork_block: ['hash', 'wins_after_ms'],
  devnet_fund: ['account', 'amount', 'amount_nano'],
  devnet_hold: [],
  devnet_impersonate: ['account', 'end'],
  devnet_load: ['state'],
  devnet_release: [],
  devnet_reset: [],
  devnet_resync: ['timestamp'],
  devnet_revert: ['id'],
  devnet_rollback: ['hash'],
  devnet_set_time: ['unix', 'advance'],
  devnet_snapshot: [],
  frontier_count: [],
  history: ['hash', 'count', 'offset', 'reverse', 'raw', 'account_filter'],
  key_create: [],
  key_expand: ['key'],
  nano_to_raw: ['amount'],
  peers: ['peer_details'],
  pending: ['account', 'count', 'offset', 'threshold', 'source', 'min_version', 'sorting', 'include_only_confirmed'],
  pending_exists: ['hash', 'include_active', 'include_only_confirmed'],
  process: ['block', 'subtype', 'json_block', 'async', 'force'],
  raw_to_nano: ['amount'],
  receivable: ['account', 'count', 'offset', 'threshold', 'source', 'min_version', 'sorting', 'include_active'],
  receivable_exists: ['hash', 'include_active', 'include_only_confirmed'],
  representatives: ['count', 'sorting'],
  representatives_online: ['weight', 'accounts'],
  sign: ['hash', 'key', 'block', 'json_block'],
  successors: ['block', 'count', 'offset', 'reverse'],
  telemetry: ['raw', 'address', 'port'],
  unchecked_clear: [],
  uptime: [],
  validate_account_number: ['account'],
  version: [],
  work_cancel: ['hash'],
  work_generate: ['hash', 'difficulty', 'multiplier', 'account', 'version', 'block', 'json_block', 'use_peers'],
  work_validate: ['work', 'hash', 'difficulty', 'multiplier', 'version'],
  ...Object.fromEntries(Object.keys(oldUnits).map((name) => [name, ['amount']])),
}

/** Wrong values as JSON text, because some numbers are too large for JavaScript. */
const WRONG = [
  ...['null', 'true', 'false', '0', '1', '-1', '1.5', '-0', '1e400', '1e-400', '123456789012345678901234567890'],
  ...['""', '" "', '"\\u0000"', '"\\ud800"', '"💥"', '"true"', '"yes"', '"-1"', '"+1"', '"1e9"', '"0x"', '"0"'],
  ...['"__proto__"', '"constructor"', '"toString"', '"a.b"', '"."', '".."', '"\\/"', '"nano_"', '"xrb-1"'],
  ...['"ffffffffffffffff"', '"18446744073709551616"', `"${'9'.repeat(400)}"`, `"${'F'.repeat(65)}"`],
  ...['[]', '{}', '[[]]', '[null]', '[""]', '["__proto__"]', '["nano_1"]', '[{}, [], 1, "x"]', '{"a": 1}'],
  ...['{"__proto__": 1}', '{"": ""}', '{"type": "state"}'],
]

/** Sends all requests, a few in parallel. */
async function answerAll(devnet: Devnet, bodies: string[]): Promise<void> {
  const queue = bodies.values()
  const work = async () => {
    for (const body of queue) await answerOf(devnet, body)
  }
  await Promise.all(Array.from({ length: 16 }, work))
}

test('the list of actions in this test is the list of actions the ledger has', () => {
  const source = readFileSync(new URL('../../src/devnet/rpc/index.ts', import.meta.url), 'utf8')
  const tables = source.slice(source.indexOf('const CONTROL'), source.indexOf('const isOurs'))
  const actions = [...tables.matchAll(/^ {2}(\w+)(?::|,$)/gm)].map(([, name]) => name!)
  const all = [...actions, ...Object.keys(openControls(() => true)), ...Object.keys(oldUnits)]
  assert.deepEqual(Object.keys(ACTIONS).sort(), all.sort())
})

test('every action answers for any value of each of its parameters', async (t) => {
  const { devnet, samples } = await openTarget(t)
  const bodies: string[] = []
  for (const [action, names] of Object.entries(ACTIONS)) {
    const valid = names.map((name): [string, string] => [name, samples[name] ?? '"true"'])
    bodies.push(toBody(action, valid), toBody(action, []))
    for (const name of names) {
      const others = valid.filter(([other]) => other !== name)
      bodies.push(toBody(action, others), ...WRONG.map((json) => toBody(action, [[name, json], ...others])))
    }
  }
  await answerAll(devnet, bodies)
  t.diagnostic(`${bodies.length} requests`)
  await assertAlive(devnet)
})

test('every action answers random parameters, missing, wrong and in any order', async (t) => {
  const { devnet, samples } = await openTarget(t)
  const everyName = [...new Set(Object.values(ACTIONS).flat())]
  await repeat(60, async (random) => {
    const bodies = Array.from({ length: 20 }, () => {
      const action = random.pick(Object.keys(ACTIONS))
      const own = ACTIONS[action]!.filter(() => random.below(4) > 0)
      const names = [...own, ...Array.from({ length: random.below(3) }, () => random.pick(everyName))]
      const members = names.map((name): [string, string] => [
        name,
        random.below(3) === 0 ? random.pick(WRONG) : (samples[name] ?? '"true"'),
      ])
      return toBody(
        action,
        members.sort(() => random.below(3) - 1),
      )
    })
    await answerAll(devnet, bodies)
  })
  await assertAlive(devnet)
})

test('negative counts wrap around as in the node, and zero is refused where one is needed', async (t) => {
  const { devnet, alice } = await openTarget(t)
  const ask = (action: string, count: string) =>
    answerOf(
      devnet,
      `{"action": "${action}", "account": "${alice.address}", "block": "${ZERO_HASH}", "count": ${count}}`,
    )
  assert.equal(((await ask('account_history', '"-1"')).history as unknown[]).length, 1)
  assert.deepEqual(await ask('account_history', '"0"'), { error: 'Invalid count' })
  assert.deepEqual(await ask('chain', '0'), { error: 'Invalid count' })
  assert.deepEqual(await ask('receivable', '-1'), { blocks: '' })
  assert.deepEqual(await ask('receivable', '"-99999999999999999999"'), { error: 'Invalid count' })
  assert.deepEqual(await ask('delegators', '-1.5'), { error: 'Invalid count' })
})
