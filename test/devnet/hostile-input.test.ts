import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { repeat } from '../support/random.ts'
import { post } from '../support/rpc.ts'
import { GENESIS, answerOf, assertAlive, openTarget, toBody } from './hostile-target.ts'

const MIB = 1024 * 1024

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
  // Escaped brackets pass the depth check and reach the parser of the block inside the string.
  for (const opening of ['\\u005b', '\\u007b\\u0022a\\u0022:']) {
    const body = `{"action": "process", "block": "${opening.repeat(100_000)}"}`
    assert.deepEqual(await answerOf(devnet, body), { error: 'Block is invalid' })
  }
  await assertAlive(devnet)
})

// A node creates a nested container for each dot in an account string.
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

test('of two members with one name the first counts, and names that every object inherits are names like any other', async (t) => {
  const { devnet } = await openTarget(t)
  assert.ok((await answerOf(devnet, '{"action": "version", "action": "uptime"}')).network)
  const twice = `{"action": "account_key", "account": "${GENESIS}", "account": "nobody"}`
  assert.equal((await answerOf(devnet, twice)).key, DEV_NETWORK.genesisAccount)
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

// Each of these is a megabyte that a careless parser multiplies. None may keep the ledger busy.
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

// Each element takes a hundred times its two bytes in memory, so 32 MiB of them would not fit into the process.
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
