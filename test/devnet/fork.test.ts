import assert from 'node:assert/strict'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { FORK_BANK } from '../../src/devnet/genesis.ts'
import type { Devnet, DevnetOptions } from '../../src/devnet/index.ts'
import { toLedgerView } from '../../src/devnet/view.ts'
import { askNode } from '../../src/infra/http/post-json.ts'
import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { NO_WORK, Signer, UNOPENED, frontierAfter, frontierOf, nano, openAccount, publish } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { ledgerFile, openDevnet } from '../support/devnet.ts'
import { dumpLedger } from '../support/ledger-file.ts'
import { call } from '../support/rpc.ts'
import { serve } from '../support/serve.ts'

const alice = new Signer(1)
const bob = new Signer(2)
const carol = new Signer(3)

type Answer = Record<string, unknown>
type Spoil = (action: string, answer: Answer) => unknown

/** A network where Alice has ten nano and has sent three to Bob, and a node that records its requests. */
async function openWorld(t: TestContext) {
  const clock = new TestClock()
  const options = { clock, confirmAfterMilliseconds: 0, thresholds: NO_WORK }
  const network = await openDevnet(t, options)
  await openAccount(network.node, alice, nano(10))
  await publish(network.node, alice.send(frontierOf(network.node, alice.key), bob.key, nano(3)))
  const asked: string[] = []
  let spoil: Spoil = (_action, answer) => answer
  const proxyUrl = await serve(t, (request, response) => {
    void json(request).then(async (body) => {
      const { action, ...fields } = body as Answer & { action: string }
      asked.push(action)
      try {
        response.end(JSON.stringify(spoil(action, await call<Answer>(network.rpcUrl, action, fields))))
      } catch {
        // Simulates a node that is down.
        request.socket.destroy()
      }
    })
  })
  const url = new URL(proxyUrl)
  // Time passes before the fork is made.
  clock.advance(60_000)
  return {
    clock,
    network,
    /** Actions requested from the forked node, in order. */
    asked,
    /** Actions that could change the forked node. */
    written: () => asked.filter((action) => !READS.has(action)),
    spoil: (other: Spoil) => void (spoil = other),
    fork: (more: Partial<DevnetOptions> = {}): Promise<Devnet> =>
      openDevnet(t, { ...options, fork: (action, fields) => askNode(url, action, fields), ...more }),
  }
}

const READS = new Set(['version', 'account_info', 'blocks_info', 'chain', 'receivable'])
const send = (block: StateBlock) => ({ json_block: 'true', block: toBlockJson(block) })
const balanceOf = async (url: string, { address }: Signer) => {
  const { balance, receivable } = await call(url, 'account_balance', { account: address })
  return [balance, receivable]
}
const frontierAt = async (url: string, { address }: Signer) => {
  const { frontier, balance } = await call(url, 'account_info', { account: address })
  return { previous: frontier!, balance: BigInt(balance!), representative: DEV_NETWORK.genesisAccount }
}

test('a wallet spends real money on a fork, and test nano of its own: balances, history and receivables are the network’s, which learns of nothing', async (t) => {
  const { network, written, fork } = await openWorld(t)
  const { node, rpcUrl } = await fork()
  assert.equal(node.ledger.genesis.account, FORK_BANK.account)
  assert.notEqual(FORK_BANK.account, DEV_NETWORK.genesisAccount)
  const asIs = { account: alice.address, count: '10', raw: true }
  assert.deepEqual(await balanceOf(rpcUrl, alice), [`${nano(7)}`, '0'])
  assert.deepEqual(await balanceOf(rpcUrl, bob), ['0', `${nano(3)}`])
  assert.deepEqual(await call(rpcUrl, 'account_history', asIs), await call(network.rpcUrl, 'account_history', asIs))
  // The genesis account has a legacy block and the epoch blocks.
  for (const form of [{}, { raw: true }, { reverse: true }]) {
    const first = { account: DEV_NETWORK.genesisAccount, count: '10', ...form }
    assert.deepEqual(await call(rpcUrl, 'account_history', first), await call(network.rpcUrl, 'account_history', first))
  }
  const { frontier } = await call(network.rpcUrl, 'account_info', { account: alice.address })
  const block = { hash: frontier, json_block: true }
  assert.deepEqual(await call(rpcUrl, 'block_info', block), await call(network.rpcUrl, 'block_info', block))
  const waiting = { account: bob.address, source: true, count: '5' }
  const receivable = await call<{ blocks: Record<string, object> }>(rpcUrl, 'receivable', waiting)
  assert.deepEqual(receivable, await call(network.rpcUrl, 'receivable', waiting))
  const { network_identifier } = await call(rpcUrl, 'version')
  assert.equal(network_identifier, DEV_NETWORK.genesisHash)

  const before = await call(network.rpcUrl, 'block_count')
  const spend = alice.send(await frontierAt(rpcUrl, alice), carol.key, nano(2))
  assert.deepEqual(await call(rpcUrl, 'process', send(spend)), { hash: hashBlock(spend) })
  const open = bob.receive(UNOPENED, Object.keys(receivable.blocks)[0]!, nano(3))
  assert.deepEqual(await call(rpcUrl, 'process', send(open)), { hash: hashBlock(open) })
  const take = carol.receive(UNOPENED, hashBlock(spend), nano(2))
  assert.deepEqual(await call(rpcUrl, 'process', send(take)), { hash: hashBlock(take) })
  const { hash: gift } = await call(rpcUrl, 'devnet_fund', { account: carol.address, amount_nano: '5' })
  assert.deepEqual(await balanceOf(rpcUrl, carol), [`${nano(2)}`, `${nano(5)}`])
  assert.deepEqual(await balanceOf(rpcUrl, alice), [`${nano(5)}`, '0'])

  assert.equal((await call(network.rpcUrl, 'block_info', { hash: gift })).error, 'Block not found')
  assert.deepEqual(await call(network.rpcUrl, 'block_count'), before)
  assert.deepEqual(await balanceOf(network.rpcUrl, alice), [`${nano(7)}`, '0'])
  assert.deepEqual(written(), [], 'nothing was asked that writes')
})

test('blocks on a fork are judged by the rules: no signature, no money twice, no fork of the network’s own blocks', async (t) => {
  const { network, written, fork } = await openWorld(t)
  const { rpcUrl } = await fork()
  const frontier = await frontierAt(rpcUrl, alice)
  const process = (block: StateBlock) => call(rpcUrl, 'process', send(block))
  const spend = alice.send(frontier, carol.key, nano(7))
  assert.deepEqual(await process({ ...spend, signature: '0'.repeat(128) }), { error: 'Bad signature' })
  assert.deepEqual(await process(alice.receive(frontier, 'AB'.repeat(32), nano(1))), { error: 'Gap source block' })
  const { open_block } = await call(network.rpcUrl, 'account_info', { account: alice.address })
  assert.deepEqual(await process(alice.change({ ...frontier, previous: open_block! }, bob.key)), { error: 'Fork' })
  const last = { hash: frontier.previous, json_block: true }
  const { contents } = await call<{ contents: object }>(network.rpcUrl, 'block_info', last)
  assert.deepEqual(await call(rpcUrl, 'process', { json_block: true, block: contents }), { error: 'Old block' })
  assert.deepEqual(await process(spend), { hash: hashBlock(spend) })
  assert.deepEqual(await process(alice.send(frontier, bob.key, nano(7))), { error: 'Fork' })
  const { error } = await call(rpcUrl, 'devnet_rollback', last)
  assert.equal(error, 'Every ledger begins with this block')
  assert.deepEqual(written(), [])
})

test('changes on the network after the fork do not reach it, in whatever order accounts are read', async (t) => {
  const { clock, network, fork } = await openWorld(t)
  const { rpcUrl } = await fork()
  await call(rpcUrl, 'account_info', { account: carol.address })
  clock.advance(5_000)
  const { node } = network
  const [waiting] = node.ledger.store.receivableOf(bob.key)
  await publish(node, bob.receive(UNOPENED, waiting!.hash, nano(3)))
  await publish(node, alice.send(frontierOf(node, alice.key), bob.key, nano(4)))
  assert.deepEqual(await balanceOf(rpcUrl, alice), [`${nano(7)}`, '0'])
  assert.deepEqual(await balanceOf(rpcUrl, bob), ['0', `${nano(3)}`], 'received since, and open here')
  assert.equal((await call(rpcUrl, 'account_info', { account: bob.address })).error, 'Account not found')
})

test('accounts that were read are kept in the file: a fork continues without its node, and names what it lacks', async (t) => {
  const { asked, spoil, fork } = await openWorld(t)
  const file = ledgerFile(t)
  const first = await fork({ file })
  const spend = alice.send(await frontierAt(first.rpcUrl, alice), carol.key, nano(1))
  await call(first.rpcUrl, 'process', send(spend))
  await first.close()
  spoil(() => {
    throw new Error('away')
  })
  const before = asked.length
  const { rpcUrl } = await fork({ file })
  assert.deepEqual(await balanceOf(rpcUrl, alice), [`${nano(6)}`, '0'])
  const next = alice.send(frontierAfter(spend), carol.key, nano(1))
  assert.deepEqual(await call(rpcUrl, 'process', send(next)), { hash: hashBlock(next) })
  assert.equal(asked.length, before)
  const { error } = await call(rpcUrl, 'account_info', { account: bob.address })
  assert.match(error!, /^The forked node does not answer account_info: http:\/\/127\.0\.0\.1:\d+: ./)
})

test('a fork that is reverted or reset is the network again, without asking the node twice', async (t) => {
  const { asked, fork } = await openWorld(t)
  const { rpcUrl } = await fork()
  const { id } = await call(rpcUrl, 'devnet_snapshot')
  const spendAll = async () => {
    const spend = alice.send(await frontierAt(rpcUrl, alice), carol.key, nano(7))
    assert.deepEqual(await call(rpcUrl, 'process', send(spend)), { hash: hashBlock(spend) })
    assert.deepEqual(await balanceOf(rpcUrl, alice), ['0', '0'])
  }
  await spendAll()
  const before = asked.length
  assert.deepEqual(await call(rpcUrl, 'devnet_revert', { id }), { success: '' })
  assert.deepEqual(await balanceOf(rpcUrl, alice), [`${nano(7)}`, '0'])
  await spendAll()
  await call(rpcUrl, 'devnet_reset')
  assert.deepEqual(await balanceOf(rpcUrl, alice), [`${nano(7)}`, '0'])
  await spendAll()
  assert.equal(asked.length, before)
})

/** Lies with which a node could make a fork accept money that does not exist, and the account concerned. */
const LIES: [what: string, of: Signer, tell: Spoil][] = [
  ['a balance that the block does not have', alice, inBlocks((block) => ({ ...block, balance: `${nano(1_000)}` }))],
  ['another balance in a block', alice, inContents({ balance: `${nano(1_000)}` }, { balance: `${nano(1_000)}` })],
  ['a block that nobody has signed', alice, inContents({ signature: '0'.repeat(128) })],
  [
    'a frontier of somebody else',
    alice,
    (action, answer) =>
      action === 'account_info' ? { ...answer, confirmed_frontier: DEV_NETWORK.genesisHash } : answer,
  ],
  [
    'a receivable of another amount',
    bob,
    (action, answer) =>
      action === 'receivable' ? eachBlock(answer, (open) => ({ ...open, amount: `${nano(1_000)}` })) : answer,
  ],
  ['no JSON object', alice, (action, answer) => (action === 'account_info' ? [] : answer)],
  ['an error that writes to the terminal', alice, () => ({ error: 'no\u001b[2J\u202Eaway' })],
  ['an endless error', alice, (action) => ({ error: `${action} ${'x'.repeat(1_000_000)}` })],
]

function inBlocks(change: (block: Answer) => Answer): Spoil {
  return (action, answer) => (action === 'blocks_info' ? eachBlock(answer, change) : answer)
}

function inContents(contents: object, block: object = {}): Spoil {
  return inBlocks((told) => ({ ...told, ...block, contents: { ...(told.contents as object), ...contents } }))
}

function eachBlock(answer: Answer, change: (block: Answer) => Answer): Answer {
  const { blocks } = answer as { blocks: Record<string, Answer> | '' }
  if (blocks === '') return answer
  return { ...answer, blocks: Object.fromEntries(Object.entries(blocks).map(([hash, block]) => [hash, change(block)])) }
}

test('answers of a lying node are refused with the reason, and nothing of them is stored', async (t) => {
  const { network, spoil, fork } = await openWorld(t)
  const file = ledgerFile(t)
  const { rpcUrl } = await fork({ file })
  const before = dumpLedger(file)
  const [open] = network.node.ledger.store.receivableOf(bob.key)
  const stolen = { [open!.hash]: { amount: `${nano(3)}`, source: alice.address, min_version: '2' } }
  const theft: Spoil = (action, answer) => (action === 'receivable' ? { blocks: stolen } : answer)
  for (const [what, { address }, tell] of [...LIES, ['what is for somebody else', carol, theft] as const]) {
    spoil(tell)
    const { error = '' } = await call(rpcUrl, 'account_balance', { account: address })
    assert.match(error, /^The forked node('s answer is wrong| refuses)/, what)
    assert.ok(error.length < 400, what)
    assert.ok(!/[\p{Cc}\p{Cf}]/u.test(error), what)
    assert.deepEqual(dumpLedger(file), before, what)
  }
  spoil((_action, answer) => answer)
  assert.deepEqual(await balanceOf(rpcUrl, bob), ['0', `${nano(3)}`], 'once it tells the truth it is believed')
})

test('a dumped fork is loaded elsewhere without its node: the network’s part and ours, or nothing of it', async (t) => {
  const { spoil, fork } = await openWorld(t)
  const first = await fork()
  const spend = alice.send(await frontierAt(first.rpcUrl, alice), carol.key, nano(2))
  await call(first.rpcUrl, 'process', send(spend))
  await balanceOf(first.rpcUrl, bob)
  const { state } = await call<{ state: { kept: string[] } }>(first.rpcUrl, 'devnet_dump')

  const { rpcUrl } = await fork()
  spoil(() => {
    throw new Error('gone')
  })
  const forged = state.kept.map((line) => {
    const [table, encoded = ''] = line.split(' ')
    const row = Buffer.from(encoded, 'base64')
      .toString()
      .replaceAll(`${nano(7)}`, `${nano(9)}`)
    return `${table} ${Buffer.from(row).toString('base64')}`
  })
  const { error } = await call(rpcUrl, 'devnet_load', { state: { ...state, kept: forged } })
  assert.match(error!, /^state\.kept\.\d+ is not a signed block$/)
  assert.match((await call(rpcUrl, 'account_balance', { account: alice.address })).error!, /does not answer/)

  assert.deepEqual(await call(rpcUrl, 'devnet_load', { state }), { blocks: '1' })
  assert.deepEqual(await balanceOf(rpcUrl, alice), [`${nano(5)}`, '0'])
  assert.deepEqual(await balanceOf(rpcUrl, bob), ['0', `${nano(3)}`])
  assert.equal((await call(rpcUrl, 'block_info', { hash: hashBlock(spend) })).confirmed, 'true')
})

test('the explorer shows only what a fork has already read', async (t) => {
  const { asked, fork } = await openWorld(t)
  const { node, rpcUrl } = await fork()
  const view = toLedgerView(node)
  assert.equal(view.account(alice.address, 10)!.isOpen, false)
  await balanceOf(rpcUrl, alice)
  const before = asked.length
  const shown = view.account(alice.address, 10)!
  assert.deepEqual([shown.isOpen, shown.balanceRaw, shown.history[0]!.confirmed], [true, nano(7), true])
  assert.equal(view.block('AB'.repeat(32)), undefined)
  assert.equal(asked.length, before)
})
