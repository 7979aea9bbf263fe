import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import type { Devnet } from '../../src/devnet/index.ts'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import type { WorkThresholds } from '../../src/kernel/nano/work.ts'
import { Signer, UNOPENED, frontierOf, nano, publish } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { repeat } from '../support/random.ts'
import { call, post } from '../support/rpc.ts'

const MIB = 1024 * 1024
const GENESIS = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'
/** A handful of hashes for any work, so that requests for work cost no more than others. */
const EASY: WorkThresholds = { epoch1: 0x8000000000000000n, send: 0xc000000000000000n, receive: 0x8000000000000000n }

/** Every action with every parameter it reads. */
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
  accounts_pending: ['accounts', 'count', 'threshold', 'source', 'sorting', 'include_active', 'include_only_confirmed'],
  accounts_receivable: ['accounts', 'count', 'threshold', 'source', 'sorting', 'include_only_confirmed'],
  accounts_representatives: ['accounts', 'account'],
  active_difficulty: ['include_trend'],
  available_supply: [],
  block: ['hash', 'json_block'],
  block_account: ['hash'],
  block_confirm: ['hash'],
  block_count: [],
  block_create: [
    'type',
    'key',
    'previous',
    'representative',
    'balance',
    'link',
    'work',
    'difficulty',
    'multiplier',
    'version',
    'wallet',
    'account',
    'destination',
    'source',
    'amount',
    'json_block',
  ],
  block_hash: ['block', 'json_block'],
  block_info: ['hash', 'json_block'],
  blocks: ['hashes', 'json_block', 'include_not_found'],
  blocks_info: ['hashes', 'json_block', 'pending', 'receivable', 'receive_hash', 'source', 'include_not_found'],
  chain: ['block', 'count', 'offset', 'reverse'],
  confirmation_info: ['root', 'contents', 'json_block', 'representatives'],
  confirmation_quorum: ['peer_details'],
  delegators: ['account', 'count', 'threshold', 'start'],
  delegators_count: ['account'],
  deterministic_key: ['seed', 'index'],
  devnet_confirm: ['hash'],
  devnet_drop: ['hash'],
  devnet_fund: ['account', 'amount_nano'],
  devnet_hold: [],
  devnet_release: [],
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
}

/** What stands where something else belongs, as JSON text; numbers too large for JavaScript among it. */
const WRONG = [
  ...['null', 'true', 'false', '0', '1', '-1', '1.5', '-0', '1e400', '1e-400', '123456789012345678901234567890'],
  ...['""', '" "', '"\\u0000"', '"\\ud800"', '"💥"', '"true"', '"yes"', '"-1"', '"+1"', '"1e9"', '"0x"', '"0"'],
  ...['"__proto__"', '"constructor"', '"toString"', '"a.b"', '"."', '".."', '"\\/"', '"nano_"', '"xrb-1"'],
  ...['"ffffffffffffffff"', '"18446744073709551616"', `"${'9'.repeat(400)}"`, `"${'F'.repeat(65)}"`],
  ...['[]', '{}', '[[]]', '[null]', '[""]', '["__proto__"]', '["nano_1"]', '[{}, [], 1, "x"]', '{"a": 1}'],
  ...['{"__proto__": 1}', '{"": ""}', '{"type": "state"}'],
]

async function openTarget(t: TestContext) {
  const devnet = await openDevnet(t, { thresholds: EASY })
  const { node } = devnet
  const alice = new Signer(1, EASY)
  const hash = await node.fund(alice.key, nano(10))
  await publish(node, alice.receive(UNOPENED, hash, nano(10)))
  const block = alice.send(frontierOf(node, alice.key), new Signer(2).key, nano(1))
  const blockText = JSON.stringify(JSON.stringify(toBlockJson(block)))
  const samples: Record<string, string> = {
    account: `"${alice.address}"`,
    accounts: `["${alice.address}", "${GENESIS}"]`,
    account_filter: `["${GENESIS}"]`,
    amount: '"1"',
    amount_nano: '"0.001"',
    address: '"::1"',
    balance: `"${nano(1)}"`,
    block: blockText,
    count: '"2"',
    destination: `"${GENESIS}"`,
    difficulty: '"e000000000000000"',
    hash: `"${hash}"`,
    hashes: `["${hash}"]`,
    head: `"${hash}"`,
    index: '"0"',
    json_block: '"false"',
    key: `"${alice.privateKey}"`,
    link: `"${GENESIS}"`,
    multiplier: '"1.5"',
    offset: '"0"',
    port: '"7075"',
    previous: `"${frontierOf(node, alice.key).previous}"`,
    representative: `"${GENESIS}"`,
    root: `"${hash}${hash}"`,
    seed: `"${'0'.repeat(64)}"`,
    source: '"true"',
    start: `"${GENESIS}"`,
    subtype: '"send"',
    threshold: '"1"',
    type: '"state"',
    version: '"work_1"',
    wallet: `"${'0'.repeat(64)}"`,
    work: '"0000000000000000"',
  }
  return { devnet, alice, block, samples }
}

const toBody = (action: string, members: [name: string, json: string][]) =>
  `{"action": "${action}"${members.map(([name, json]) => `, "${name}": ${json}`).join('')}}`

/** Status 200 and JSON that is not an accident of ours; returns what was said. */
async function answerOf({ rpcUrl }: Devnet, body: string | Uint8Array): Promise<Record<string, unknown>> {
  const { status, text } = await post(rpcUrl, body)
  const asked = body.slice(0, 300).toString()
  assert.equal(status, 200, asked)
  const answer = JSON.parse(text) as Record<string, unknown>
  assert.ok(typeof answer === 'object' && answer !== null, asked)
  assert.notEqual(answer.error, 'Internal server error in RPC', asked)
  return answer
}

async function assertAlive({ rpcUrl }: Devnet): Promise<void> {
  assert.equal((await call(rpcUrl, 'version')).node_vendor, 'Nano V27.1')
}

/** Puts all requests to the ledger, a few at a time. */
async function answerAll(devnet: Devnet, bodies: string[]): Promise<void> {
  const queue = bodies.values()
  const work = async () => {
    for (const body of queue) await answerOf(devnet, body)
  }
  await Promise.all(Array.from({ length: 16 }, work))
}

test('the list of actions in this test is the list of actions the ledger has', () => {
  const source = readFileSync(new URL('../../src/devnet/rpc/index.ts', import.meta.url), 'utf8')
  const tables = source.slice(source.indexOf('const CONTROL'), source.indexOf('const CONTROL_ONLY'))
  const actions = [...tables.matchAll(/^ {2}(\w+)(?::|,$)/gm)].map(([, name]) => name!)
  assert.deepEqual(Object.keys(ACTIONS).sort(), actions.sort())
})

test('every action answers whatever stands in place of each of its parameters', async (t) => {
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

test('a request cut off at any byte cannot be parsed, and says so', async (t) => {
  const { devnet, block } = await openTarget(t)
  const body = JSON.stringify({ action: 'process', json_block: true, block: toBlockJson(block) })
  for (let length = 0; length < body.length; length++) {
    assert.deepEqual(await answerOf(devnet, body.slice(0, length)), { error: 'Unable to parse JSON' })
  }
  assert.ok((await answerOf(devnet, body)).hash)
})

test('a request with any one byte flipped is answered', async (t) => {
  const { devnet, block } = await openTarget(t)
  const body = Buffer.from(JSON.stringify({ action: 'process', block: JSON.stringify(toBlockJson(block)) }))
  await repeat(400, async (random) => {
    const broken = Buffer.from(body)
    const at = random.below(body.length)
    broken[at] = broken[at]! ^ (1 << random.below(8))
    await answerOf(devnet, broken)
  })
  await assertAlive(devnet)
})

test('a body over 32 MiB is cut off, one of 32 MiB is read, and the ledger lives on', async (t) => {
  const { devnet } = await openTarget(t)
  const padded = (bytes: number) => '{"action": "version"}'.padEnd(bytes)
  const isReset = (error: NodeJS.ErrnoException) => ['ECONNRESET', 'EPIPE'].includes(error.code ?? '')
  await assert.rejects(post(devnet.rpcUrl, padded(33 * MIB)), isReset)
  await assert.rejects(post(devnet.rpcUrl, padded(32 * MIB + 1)), isReset)
  assert.equal((await answerOf(devnet, padded(32 * MIB))).network, DEV_NETWORK.name)
  await assertAlive(devnet)
})

test('deep nesting is refused, however it is written', async (t) => {
  const { devnet } = await openTarget(t)
  const tooDeep = { error: 'Max JSON depth exceeded' }
  assert.deepEqual(await answerOf(devnet, '['.repeat(MIB)), tooDeep)
  assert.deepEqual(await answerOf(devnet, '{"a":'.repeat(MIB)), tooDeep)
  assert.deepEqual(await answerOf(devnet, `{"action": "version", "a": "${'{'.repeat(20)}"}`), tooDeep)
  assert.equal((await answerOf(devnet, `{"action": "version", "a": "${'{'.repeat(19)}"}`)).network, DEV_NETWORK.name)
  // Escaped brackets pass the count, and meet the reader of the block inside the text.
  for (const opening of ['\\u005b', '\\u007b\\u0022a\\u0022:']) {
    const body = `{"action": "process", "block": "${opening.repeat(100_000)}"}`
    assert.deepEqual(await answerOf(devnet, body), { error: 'Block is invalid' })
  }
  await assertAlive(devnet)
})

// The node opens a nested container for each dot in an account's text.
test('an account made of dots does not grow into an answer without end', async (t) => {
  const { devnet } = await openTarget(t)
  for (const action of ['accounts_balances', 'accounts_frontiers', 'accounts_representatives']) {
    for (const dots of [1, 10, 100, 10_000, 1_000_000]) {
      const answer = await answerOf(devnet, toBody(action, [['accounts', `["${'.'.repeat(dots)}"]`]]))
      assert.deepEqual(Object.keys(answer), ['errors'])
    }
  }
  await assertAlive(devnet)
})

test('of two members with one name the first counts', async (t) => {
  const { devnet } = await openTarget(t)
  assert.ok((await answerOf(devnet, '{"action": "version", "action": "uptime"}')).network)
  const twice = `{"action": "account_key", "account": "${GENESIS}", "account": "nobody"}`
  assert.equal((await answerOf(devnet, twice)).key, DEV_NETWORK.genesisAccount)
})

test('names that every object inherits are names like any other', async (t) => {
  const { devnet } = await openTarget(t)
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    assert.deepEqual(await answerOf(devnet, `{"action": "${name}"}`), { error: 'Unknown command' })
    assert.ok((await answerOf(devnet, `{"${name}": {"action": "uptime"}, "action": "version"}`)).network)
    assert.deepEqual(await answerOf(devnet, `{"${name}": {"action": "version"}}`), { error: 'Unable to parse JSON' })
    for (const action of ['accounts_balances', 'accounts_frontiers', 'accounts_representatives']) {
      const texts = [name, `${name}.polluted`, `${name}.${name}`]
      const { text } = await post(devnet.rpcUrl, toBody(action, [['accounts', JSON.stringify(texts)]]))
      assert.ok(text.includes(`"${name}"`), text)
    }
  }
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
  await assertAlive(devnet)
})

test('bytes that are no UTF-8 are answered like any other text', async (t) => {
  const { devnet } = await openTarget(t)
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82], [0x00]]) {
    await answerOf(devnet, Buffer.from(bytes))
    const wrap = (before: string, after: string) =>
      Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
    await answerOf(devnet, wrap('{"action": "', '"}'))
    await answerOf(devnet, wrap('{"action": "accounts_balances", "accounts": ["', '"]}'))
    await answerOf(devnet, wrap('{"action": "version"}', ''))
  }
  await assertAlive(devnet)
})

// None of these may keep the ledger busy: each is a megabyte that a careless reader multiplies.
test('numbers of a million digits are refused as fast as they are read', async (t) => {
  const { devnet } = await openTarget(t)
  const digits = '9'.repeat(MIB)
  const account: [string, string] = ['account', `"${GENESIS}"`]
  const hash: [string, string] = ['hash', `"${'0'.repeat(64)}"`]
  for (const huge of [
    digits,
    `-${digits}`,
    `"${digits}x"`,
    `"${' '.repeat(MIB)}x"`,
    `"${digits}.${digits}x"`,
    `1e${digits}`,
  ]) {
    const bodies = [
      toBody('account_history', [account, ['count', huge]]),
      toBody('receivable', [account, ['offset', huge]]),
      toBody('receivable', [account, ['threshold', huge]]),
      toBody('deterministic_key', [
        ['seed', '"0"'],
        ['index', huge],
      ]),
      toBody('nano_to_raw', [['amount', huge]]),
      toBody('devnet_fund', [account, ['amount_nano', huge]]),
      toBody('telemetry', [
        ['address', '"::1"'],
        ['port', huge],
      ]),
      toBody('work_validate', [hash, ['difficulty', huge]]),
      toBody('work_validate', [hash, ['multiplier', huge]]),
      toBody('work_validate', [hash, ['work', huge]]),
      toBody('block_info', [['hash', huge]]),
      toBody('account_key', [['account', huge]]),
    ]
    for (const body of bodies) await answerOf(devnet, body)
  }
  await assertAlive(devnet)
})

test('negative counts wrap around as in the node, and zero is refused where one is needed', async (t) => {
  const { devnet, alice } = await openTarget(t)
  const ask = (action: string, count: string) =>
    answerOf(
      devnet,
      toBody(action, [
        ['account', `"${alice.address}"`],
        ['block', `"${'0'.repeat(64)}"`],
        ['count', count],
      ]),
    )
  assert.equal(((await ask('account_history', '"-1"')).history as unknown[]).length, 1)
  assert.deepEqual(await ask('account_history', '"0"'), { error: 'Invalid count' })
  assert.deepEqual(await ask('chain', '0'), { error: 'Invalid count' })
  assert.deepEqual(await ask('receivable', '-1'), { blocks: '' })
  assert.deepEqual(await ask('receivable', '"-99999999999999999999"'), { error: 'Invalid count' })
  assert.deepEqual(await ask('delegators', '-1.5'), { error: 'Invalid count' })
})

test('lists of 100,000 elements are answered', async (t) => {
  const { devnet } = await openTarget(t)
  const list = (element: (index: number) => string) =>
    JSON.stringify(Array.from({ length: 100_000 }, (_, index) => element(index)))
  const strange = list((index) => `account ${index}`)
  const empty = list(() => '')
  const hashes = list((index) => index.toString(16))
  const { errors } = await answerOf(devnet, toBody('accounts_balances', [['accounts', strange]]))
  assert.equal(Object.keys(errors as object).length, 100_000)
  assert.deepEqual(await answerOf(devnet, toBody('accounts_receivable', [['accounts', strange]])), {
    error: 'Bad account number',
  })
  assert.deepEqual(await answerOf(devnet, toBody('accounts_balances', [['accounts', empty]])), {
    error: 'Unable to parse JSON',
  })
  const found = await answerOf(
    devnet,
    toBody('blocks_info', [
      ['hashes', hashes],
      ['include_not_found', 'true'],
    ]),
  )
  assert.equal((found.blocks_not_found as unknown[]).length, 100_000)
  assert.deepEqual(await answerOf(devnet, toBody('blocks', [['hashes', hashes]])), { error: 'Block not found' })
  await assertAlive(devnet)
})

// Each element costs a hundred times its two bytes, so 32 MiB of them would not fit into the process.
test('a body of millions of elements is refused before it fills the memory', async (t) => {
  const { devnet } = await openTarget(t)
  const body = `{"action": "version", "a": [${'1,'.repeat(15 * MIB)}1]}`
  assert.deepEqual(await answerOf(devnet, body), { error: 'Unable to parse JSON' })
  await assertAlive(devnet)
})

test('work that nobody could find is refused at once', async (t) => {
  const { devnet, samples } = await openTarget(t)
  const names = ['type', 'key', 'previous', 'representative', 'balance', 'link']
  const state = names.map((name): [string, string] => [name, samples[name]!])
  const tooHard = { error: 'Difficulty above config limit or below publish threshold' }
  const impossible: [string, string] = ['difficulty', '"ffffffffffffffff"']
  assert.deepEqual(await answerOf(devnet, toBody('block_create', [...state, impossible])), tooHard)
  assert.deepEqual(await answerOf(devnet, toBody('work_generate', [['hash', samples.hash!], impossible])), tooHard)
})
