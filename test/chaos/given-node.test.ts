import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { give, nano } from '../support/blocks.ts'
import { ledgerFile, openDevnet } from '../support/devnet.ts'
import { SEED } from '../support/random.ts'
import { Purse } from '../support/purse.ts'
import { spawnDevnet } from '../support/spawn-devnet.ts'
import { isThorough } from '../support/thorough.ts'
import { comparePayments, compareSends } from './compare-ledger.ts'
import { LedgerReader } from './ledger.ts'
import { readOptions } from './options.ts'
import { Payer } from './payer.ts'
import { runChaos } from './run.ts'

const SECONDS = 15

test(
  "an operator's own node sees no payment, send or credit lost or doubled, and the money comes back to the last raw",
  { timeout: 2_400_000, skip: isThorough ? false : 'npm test -- --thorough' },
  async (t) => {
    const process = await spawnDevnet(ledgerFile(t))
    t.after(() => process.kill())
    const reader = new LedgerReader(process)
    const funds = toAddress(DEV_NETWORK.genesisAccount)
    const before = await reader.readWealth(funds)
    const { node } = readOptions(['--node', process.rpcUrl, '--ws', process.wsUrl], {})
    const milliseconds = SECONDS * 1_000
    const { breaches, figures } = await runChaos({
      seed: SEED,
      milliseconds,
      node,
      tell: (line) => t.diagnostic(line),
      signal: t.signal,
    })
    for (const line of figures) t.diagnostic(line)
    assert.deepEqual(breaches, [], `seed ${SEED}`)
    assert.equal(await reader.readWealth(funds), before)
    assert.match(figures.join('\n'), /not ours to break: node killed, node paused, node lying\n/)
  },
)

test('duplicate, lost and unrequested sends are reported', () => {
  const sends = [
    { key: 'twice', amountRaw: 2n, hash: 'A' },
    { key: 'lost', amountRaw: 3n, hash: 'C' },
    { key: 'unclear', amountRaw: 4n, hash: undefined },
  ]
  const arrived = new Map([
    ['A', 2n],
    ['B', 2n],
    ['D', 5n],
  ])
  assert.deepEqual(compareSends(arrived, sends), [
    'send twice was made 2 times',
    'send lost was acknowledged as C and is lost',
    'nobody asked for 1 sends of 5 raw',
  ])
})

test('a checkout whose block is unconfirmed, missing, or for somebody else is reported', async (t) => {
  const devnet = await openDevnet(t)
  const reader = new LedgerReader(devnet)
  const purse = new Purse({ funds: '1'.repeat(64), firstAccount: 0, rpcUrl: () => devnet.rpcUrl, patience: 60_000 })
  const [shop, other] = [purse.fresh().address, purse.fresh().address]
  const { node } = devnet
  const payer = DEV_NETWORK.genesisAccount
  assert.deepEqual(await reader.readAccount(shop), { frontier: '0'.repeat(64), balance: 0n })
  const paidBy = await give(node, payer, nano(1))
  const of = (id: string, fields: object) => ({ id, address: toAddress(payer), amountRaw: nano(1), paidBy, ...fields })
  node.hold()
  const unconfirmed = await node.fund(payer, nano(1))
  const checkouts = [
    of('good', {}),
    of('open', { paidBy: undefined }),
    of('dear', { amountRaw: nano(2) }),
    of('astray', { address: other }),
    of('early', { paidBy: unconfirmed }),
    of('gone', { paidBy: 'A'.repeat(64) }),
  ]
  assert.deepEqual(await comparePayments(reader, checkouts), [
    'the block that pays checkout dear has another amount or address',
    'the block that pays checkout astray has another amount or address',
    'the block that pays checkout early is not confirmed',
    'the block that pays checkout gone is lost',
  ])
})

test('a payer whose node is gone for good ends with the run, whether it signs or publishes', async (t) => {
  const devnet = await openDevnet(t)
  const place = { rpcUrl: devnet.rpcUrl, wsUrl: devnet.wsUrl }
  const { genesisPrivateKey: funds } = DEV_NETWORK
  const purse = new Purse({ funds, firstAccount: 0, rpcUrl: () => place.rpcUrl, patience: 60_000 })
  const payer = new Payer(purse, place)
  await payer.open(nano(1))
  place.rpcUrl = 'http://127.0.0.1:1'
  const over = new AbortController()
  const signing = payer.pay(purse.source.address, nano(1), { through: undefined, over: over.signal })
  over.abort()
  await assert.rejects(signing, { name: 'AbortError' })
  const away = { rpcUrl: 'http://127.0.0.1:1', wsUrl: '' }
  const publishing = new Payer(
    new Purse({ funds, firstAccount: 1, rpcUrl: () => devnet.rpcUrl, patience: 60_000 }),
    away,
  )
  await publishing.open(nano(1))
  const paying = publishing.pay(purse.source.address, nano(1), { through: undefined, over: over.signal })
  await assert.rejects(paying, { name: 'AbortError' })
})

test('chaos needs a single node without TLS, because it breaks the connection byte by byte', () => {
  const read = (...args: string[]) => readOptions(['--minutes', '1', ...args], {})
  assert.equal(read().node, undefined)
  assert.equal(read('--node', 'http://127.0.0.1:7076').node!.nodeWsUrls, '')
  assert.equal(readOptions([], { NODE_URLS: 'http://[::1]:7076' }).node!.network, 'dev')
  for (const wrong of ['https://node.example', 'http://a,http://b', 'devnet:', '127.0.0.1:7076']) {
    assert.throws(() => read('--node', wrong), /one node, reached without TLS/, wrong)
  }
  assert.throws(() => read('--node', 'http://a', '--ws', 'wss://a'), /begins with ws:/)
  assert.throws(() => read('--node', 'http://a', '--network', 'live'), /comes from FUNDS_KEY/)
  assert.throws(() => readOptions(['--minutes', 'ten'], {}), /Usage: npm run chaos/)
})
