import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { LEDGER_ACTIONS } from '../../src/modules/ledger/open.ts'
import { WORK_ACTIONS } from '../../src/modules/work/open.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { assertRefusal } from './refusal.ts'

/* Contract 1: which actions exist, and which of them reach a node. */

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)

/** Guarded by `enable_control` in the node. */
const CONTROL = `account_create account_move account_remove account_representative_set accounts_create backoff_info
  block_create bootstrap_lazy database_txn_tracker epoch_upgrade keepalive ledger node_id password_change
  populate_backlog receive receive_minimum receive_minimum_set search_pending search_receivable search_pending_all
  search_receivable_all send stop unchecked_clear unopened wallet_add wallet_add_watch wallet_change_seed wallet_create
  wallet_destroy wallet_lock wallet_representative_set wallet_republish wallet_seed wallet_work_get work_generate
  work_cancel work_get work_set work_peer_add work_peers work_peers_clear`.split(/\s+/)

/** Not guarded by the node, but not offered either: wallets, private keys, state, floods, scans, diagnostics. */
const UNGUARDED = `account_list password_enter wallet_unlock password_valid wallet_locked wallet_balances
  wallet_balance_total wallet_info wallet_contains wallet_export wallet_frontiers wallet_history wallet_key_valid
  wallet_ledger wallet_pending wallet_receivable wallet_representative sign key_create key_expand deterministic_key
  bootstrap bootstrap_any republish stats_clear node_id_delete unchecked unchecked_keys
  bootstrap_status stats election_statistics debug_bootstrap_priority_info confirmation_active unchecked_get
  pruned_exists confirmation_history history mnano_to_raw devnet_fund devnet_hold`.split(/\s+/)

test('400 for every action that could harm a node, and no node ever learns of it (contract 1, rule 4; 7, Texts and codes: unknown action)', async (t) => {
  const node = await openRecordingNode(t, () => ({ success: '' }))
  const gateway = await openGateway(t, { NODE_URLS: node.url })
  assert.equal(CONTROL.length, 43)
  // Our own actions with these names, which have their own rules.
  const own = ['work_generate', 'work_cancel']
  const forbidden = [...CONTROL.filter((action) => !own.includes(action)), ...UNGUARDED]
  const shapes = ['VERSION', ' version', 'version ', 'version\u0000', 1, true, ['version'], { toString: 'version' }]
  const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  for (const action of [...forbidden, ...shapes, ...inherited]) {
    const parameters = { action, account: GENESIS, hash: 'A'.repeat(64), wallet: 'B'.repeat(64), count: 1, type: 'x' }
    assertRefusal(await gateway.post(JSON.stringify(parameters)), 400, 'Bad action provided.', 'invalid_action')
  }
  // The gateway sends some requests of its own, such as for voters; none of them has these names.
  const heard = new Set(node.requests.map(({ action }) => action))
  assert.deepEqual(
    forbidden.filter((action) => heard.has(action)),
    [],
  )
})

test('the refusal of a mistyped action names the nearest one, in the words that it always had; that of a forbidden one names none (contract 1, rule 4)', async (t) => {
  const { post, url } = await openGateway(t)
  const typed = {
    acount_balance: 'account_balance',
    accountInfo: 'account_info',
    recievable: 'receivable',
    VERSION: 'version',
    'work-generate': 'work_generate',
    stop: undefined,
    send: undefined,
    wallet_create: undefined,
    [`version${'n'.repeat(100_000)}`]: undefined,
  }
  for (const [action, nearest] of Object.entries(typed)) {
    const reply = await post(JSON.stringify({ action }))
    assertRefusal(reply, 400, 'Bad action provided.', 'invalid_action')
    assert.equal(reply.json().nearest, nearest, action)
  }
  const byPath = await ask(`${url}/actions/acount_info`, { body: '{}' })
  assert.deepEqual([byPath.status, byPath.json().nearest], [404, 'account_info'])
  const called = await post('{"jsonrpc":"2.0","id":1,"method":"acount_info"}')
  const { error } = called.json<{ error: { code: number; data: { nearest: string } } }>()
  assert.deepEqual([error.code, error.data.nearest], [-32601, 'account_info'])
})

/** The contract's read actions under the node's names, and its two writes. */
const FORWARDED = `version block_count account_info account_balance accounts_balances account_history receivable
  accounts_receivable block_confirm block_info blocks_info process work_generate accounts_frontiers frontiers account_representative
  accounts_representatives account_weight account_block_count available_supply active_difficulty block_account blocks
  chain successors confirmation_quorum confirmation_info delegators delegators_count frontier_count representatives
  representatives_online telemetry uptime peers receivable_exists`.split(/\s+/)

test('nodes are asked only for what the contract lists, and get only the fields of the action (contract 1, rule 4; 5, rule 12)', async (t) => {
  const node = await openRecordingNode(t)
  const gateway = await openGateway(t, { NODE_URLS: node.url, CACHE_BYTES_MAX: '0' })
  const actions = [...LEDGER_ACTIONS, ...WORK_ACTIONS]
  const unsafe = { wallet: 'W', password: 'P', seed: 'S', enable_control: true, force: false, include_trend_: '1' }
  // This node refuses every request, as no real one does.
  for (const { name, example } of actions) {
    await gateway.post(JSON.stringify({ action: name, ...example.request, ...unsafe }))
  }
  const asked = new Set(node.requests.map(({ action }) => action))
  assert.deepEqual(
    [...asked].filter((action) => !FORWARDED.includes(action)),
    [],
  )
  // The gateway sends some of these requests by itself too; they are not listed here.
  assert.ok(asked.size > 20)
  for (const request of node.requests) {
    for (const name of Object.keys(unsafe)) assert.ok(!(name in request), `${request.action} ${name}`)
  }
})
