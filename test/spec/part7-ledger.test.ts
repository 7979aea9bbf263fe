import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StateBlock, rootOf, toBlockJson } from '../../src/kernel/nano/block.ts'
import { formatWork, workValue } from '../../src/kernel/nano/work.ts'
import { type Frontier, Signer, UNOPENED, frontierAfter, frontierOf, nano } from '../support/blocks.ts'
import type { Reply } from '../support/gateway.ts'
import { assertRefusal } from './refusal.ts'
import { row } from './row.ts'
import { bob, openLedgerWorld } from './ledger-world.ts'
import { another } from '../support/another.ts'

/* Contract 7: the ledger's own errors, and errors that the gateway finds first. */

const UNKNOWN = 'AB'.repeat(32)

/** The same block with work for receiving, which is too little for sending. */
function withReceivingWork(block: StateBlock, least: bigint, enough: bigint): StateBlock {
  for (let nonce = 0n; ; nonce++) {
    const work = formatWork(nonce)
    const value = workValue(rootOf(block), work)
    if (value >= least && value < enough) return { ...block, work }
  }
}

const assertTold = (reply: Reply, error: string, about?: string) =>
  assert.deepEqual([reply.status, reply.json()], [200, { error }], about)

test('200 with the exact words of the ledger and nothing else, for whatever it refuses (contract 7, rules 1 and 5; 7, Texts and codes: answer of the ledger, rep_info without result; 7, Status codes: 200)', async (t) => {
  const { app, call, sent } = await openLedgerWorld(t)
  const { node } = app.devnet!
  const { thresholds } = node.ledger
  const alice = new Signer(1, thresholds)
  const receiver = new Signer(2, thresholds)
  const process = (block: StateBlock, subtype?: string) =>
    call('process', { json_block: 'true', block: toBlockJson(block), ...(subtype && { subtype }) })
  const at: Frontier = frontierOf(node, alice.key)
  const good = alice.send(at, bob.key, nano(1))
  const opening = receiver.receive(UNOPENED, sent, nano(2))
  const refusals: [text: string, block: StateBlock][] = [
    ['Bad signature', { ...good, signature: 'A'.repeat(128) }],
    ['Gap previous block', alice.send({ ...at, previous: UNKNOWN }, bob.key, nano(1))],
    ['Gap source block', receiver.receive(UNOPENED, UNKNOWN, nano(2))],
    ['Unreceivable', alice.receive(at, sent, nano(2))],
    ['Balance and amount delta do not match', receiver.receive(UNOPENED, sent, nano(3))],
    ['Block work is insufficient', withReceivingWork(good, thresholds.receive, thresholds.send)],
  ]
  for (const [error, block] of refusals) {
    const reply = await process(block)
    row(
      '7, Texts of the node: Bad signature, Gap previous block, Gap source block, Unreceivable, Balance and amount delta do not match, Block work is insufficient',
      () => assertTold(reply, error),
    )
  }
  assert.deepEqual(frontierOf(node, alice.key), at, 'nothing of it came through')

  assert.match((await process(good, 'send')).json().hash!, /^[0-9A-F]{64}$/)
  const old = await process(good)
  row('7, Texts of the node: Old block', () => assertTold(old, 'Old block'))
  const fork = await process(alice.send(at, bob.key, nano(3)))
  row('7, Texts of the node: Fork', () => assertTold(fork, 'Fork'))
  assert.match((await process(opening, 'open')).json().hash!, /^[0-9A-F]{64}$/)
  assertTold(await process(receiver.receive(frontierAfter(opening), sent, nano(2))), 'Unreceivable')

  const nobody = new Signer(77).address
  for (const [action, fields, error] of [
    ['account_info', { account: nobody }, 'Account not found'],
    ['account_representative', { account: nobody }, 'Account not found'],
    ['account_block_count', { account: nobody }, 'Account not found'],
    ['block_info', { hash: UNKNOWN }, 'Block not found'],
    ['block_account', { hash: UNKNOWN }, 'Block not found'],
    ['blocks_info', { hashes: [UNKNOWN] }, 'Block not found'],
    ['rep_info', { account: nobody }, 'Representative not found.'],
  ] as const) {
    const reply = await call(action, fields)
    row('7, Texts of the node: Account not found, Block not found', () => assertTold(reply, error, action))
  }
})

test('400 with the node’s own words for what is malformed, naming the field (contract 7, Texts and codes: malformed input, no action, unknown action, unknown alias; 7, Status codes: 400; 7, rule 4)', async (t) => {
  const { call, post } = await openLedgerWorld(t)
  const account = bob.address
  const malformed: [action: string, fields: object, text: string, code: string, field?: string][] = [
    ['account_info', { account: 'nano_1' }, 'Bad account number', 'invalid_account', 'account'],
    ['account_balance', { account: another(account) }, 'Bad account number', 'invalid_account', 'account'],
    ['account_balance', { account: 7 }, 'Bad account number', 'invalid_account', 'account'],
    ['block_info', { hash: 'zz' }, 'Invalid block hash', 'invalid_hash', 'hash'],
    ['work_generate', { hash: '0'.repeat(63) }, 'Invalid block hash', 'invalid_hash', 'hash'],
    ['account_history', { account, count: 'many' }, 'Invalid count', 'invalid_count', 'count'],
    ['receivable', { account, count: '-2' }, 'Invalid count', 'invalid_count', 'count'],
    ['process', { block: {} }, 'Block is invalid', 'invalid_block', 'block'],
    ['process', { block: 'nonsense' }, 'Block is invalid', 'invalid_block', 'block'],
    ['account_info', {}, 'The field account is required.', 'invalid_request', 'account'],
    ['account_history', { count: '1' }, 'The field account is required.', 'invalid_request', 'account'],
    ['accounts_frontiers', {}, 'The field accounts is required.', 'invalid_request', 'accounts'],
    ['account_info', { account: '@nobody' }, 'Username not found.', 'username_not_found', 'account'],
    ['no_such_action', {}, 'Bad action provided.', 'invalid_action', 'action'],
    ['stop', {}, 'Bad action provided.', 'invalid_action', 'action'],
    ['', {}, 'Action not provided', 'invalid_action', 'action'],
    ['nano_to_raw', { amount: 'x' }, 'Invalid amount number', 'invalid_amount', 'amount'],
  ]
  for (const [action, fields, text, code, field] of malformed) {
    const reply = await call(action, fields)
    row(
      '7, Texts of the node: Bad account number, Invalid block hash, Invalid count, Block is invalid, Unable to parse JSON',
      () => assertRefusal(reply, 400, text, code),
    )
    assert.equal(reply.json().field, field, reply.text)
  }
  for (const body of ['{', '[', 'action=version', '']) {
    assertRefusal(await post(body), 400, 'Unable to parse JSON', 'invalid_json')
  }
})
