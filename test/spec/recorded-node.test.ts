import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatNano } from '../../src/kernel/money.ts'
import { workValue } from '../../src/kernel/nano/work.ts'
import { checkAnswer } from '../support/answers.ts'
import { openDevnet } from '../support/devnet.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { type Gateway, type Reply, openGateway } from '../support/gateway.ts'
import { RECORDING, SECOND_NODE_FROM, applyEffects } from '../support/recorded.ts'
import { post } from '../support/rpc.ts'
import {
  DIFFERENCES,
  type Difference,
  type Expected,
  MALFORMED,
  type Members,
  OFFERED,
  type Pair,
  hashOf,
  malformed,
  ok,
} from './recorded-differences.ts'

/*
 * Clients for a node must find every field of a node's answer in ours (contract 4.1). So the recorded answers of a real node V27.1 are compared in order
 * with the gateway's: nothing may be missing, and nothing may be added without a decision.
 */

/** Recorded requests that cannot be repeated on another node. */
const NOT_REPEATABLE: Record<string, string> = {
  block_count_with_unchecked: 'two of the gap blocks it counts were sent in requests that were not recorded',
}

/** Blocks that the node refused and the gateway publishes; they are rolled back, because the recording continues without them. */
const TAKEN_BACK = new Set(['process_malformed_json_block_true_string'])

/** Fields that differ in each run; only their form is compared. */
const VOLATILE: Record<string, RegExp> = {
  modified_timestamp: /^\d{10}$/,
  local_timestamp: /^\d{10}$/,
  timestamp: /^\d{13}$/,
  uptime: /^\d+$/,
  seconds: /^\d+$/,
  node_id: /^node_[13][13-9a-km-uw-z]{59}$/,
  build_info: /./,
}
/** The same for fields of several actions: telemetry is signed by the node, and a random account stands for a voter. */
const VOLATILE_PATHS = /^signature$|^blocks\.\w{64}\.representatives\.nano_\w{60}$/

/** The node's hint that a name is deprecated; for us, synonyms are one action. */
const HINTS = new Set(['deprecated'])

/** Raw fields: each must have a `_nano` counterpart, and no other field may. */
const AMOUNTS = new Set(
  `amount available balance confirmed_balance confirmed_pending confirmed_receivable final_tally online_stake_total
  online_weight_minimum peers_stake_total pending quorum_delta receivable tally total_tally trended_stake_total
  weight`.split(/\s+/),
)
const FLAGS_OF_BLOCKS = new Set(['pending', 'receivable'])

/** Adds the counterpart of every amount; inside a block, `pending` and `receivable` are flags. */
function withCounterparts(action: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return value
  if (Array.isArray(value)) return value.map((inner) => withCounterparts(action, inner))
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    const isAmount = AMOUNTS.has(name) && typeof inner === 'string' && !/_to_(raw|nano)$/.test(action)
    if (!isAmount || (action === 'blocks_info' && FLAGS_OF_BLOCKS.has(name)))
      return [[name, withCounterparts(action, inner)]]
    return [
      [name, inner],
      [`${name}_nano`, formatNano(BigInt(inner))],
    ]
  })
  return Object.fromEntries(entries) as Members
}

/** Describes where an answer differs from the expected one. */
function compare(expected: unknown, given: unknown, at = ''): string[] {
  if (expected instanceof RegExp) {
    return (typeof given === 'string' || typeof given === 'boolean') && expected.test(String(given))
      ? []
      : [`${at} is ${JSON.stringify(given)}, not ${expected}`]
  }
  const pairOfObjects = isContainer(expected) && isContainer(given) && Array.isArray(expected) === Array.isArray(given)
  if (!pairOfObjects) {
    return Object.is(expected, given) ? [] : [`${at} is ${JSON.stringify(given)}, not ${JSON.stringify(expected)}`]
  }
  const wrong: string[] = []
  for (const name of new Set([...Object.keys(expected), ...Object.keys(given)])) {
    const path = at === '' ? name : `${at}.${name}`
    if (HINTS.has(name) || VOLATILE_PATHS.test(path)) continue
    if (!Object.hasOwn(given, name)) wrong.push(`${path} is lost`)
    else if (!Object.hasOwn(expected, name)) wrong.push(`${path} is unexplained`)
    else wrong.push(...compare(VOLATILE[name] ?? expected[name], given[name], path))
  }
  const shared = (one: Members, other: Members) => Object.keys(one).filter((name) => Object.hasOwn(other, name))
  if (shared(expected, given).join() !== shared(given, expected).join()) wrong.push(`${at} has another order`)
  return wrong
}

const isContainer = (value: unknown): value is Members => typeof value === 'object' && value !== null

async function expectedOf(pair: Pair, difference: Difference | undefined): Promise<Expected> {
  if (difference) return difference.expected(pair)
  const { error } = pair.recorded
  if (typeof error !== 'string') return ok(pair.recorded)
  return MALFORMED.has(error) ? malformed(error) : ok({ error })
}

/** An error may add the field, the kind of mistake and a suggestion; its text is fixed. */
function judge({ status, body }: Expected, action: string, reply: Reply): string[] {
  if (reply.status !== status) return [`status is ${reply.status}, not ${status}: ${reply.text}`]
  const given = reply.json<Members>()
  if (status !== 400) return compare(withCounterparts(action, body), given)
  const { field, detail, nearest, ...rest } = given
  const explained = [field, detail, nearest].every((text) => text === undefined || typeof text === 'string')
  return explained ? compare(body, rest) : ['field, detail and nearest are texts']
}

test('every recorded answer of a node comes through the gateway unchanged, except for listed differences', async (t) => {
  // Without a cache, because the recording reads the same counters within milliseconds.
  // The recorded node had none of our names, and had confirmed each block before the next request.
  const elsewhere = toAddress('B'.repeat(64))
  const names = { KNOWN_NAMES: JSON.stringify({ bank: elsewhere, faucet: elsewhere }) }
  const gateway = await openGateway(t, { CACHE_BYTES_MAX: '0', DEVNET_CONFIRM_MS: '0', ...names })
  const restricted = await openDevnet(t, { control: false })
  const outside = await openGateway(t, { NODE_URLS: restricted.rpcUrl, NODE_NETWORK: 'dev', CACHE_BYTES_MAX: '0' })
  const { node, rpcUrl } = gateway.app.devnet!

  let compared = 0
  const used = new Map<Difference, string[]>()
  const skipped: string[] = []
  const wrong: string[] = []
  for (const recorded of RECORDING) {
    const { seq, name, method = 'POST', request: text = '', response = '' } = recorded
    if (recorded.effect_blocks) {
      await applyEffects(node, recorded)
      continue
    }
    if (method !== 'POST') {
      skipped.push(`${name}: only POST is an RPC request`)
      continue
    }
    const request = parse(text)
    const action = String(request.action)
    const through: Gateway = seq < SECOND_NODE_FROM ? gateway : outside
    const ledgerUrl = seq < SECOND_NODE_FROM ? rpcUrl : restricted.rpcUrl
    // A node stops voting while its wallets are locked; here the ledger itself is told to hold confirmations.
    if (action === 'wallet_lock') node.hold()
    if (action === 'password_enter') await node.release()
    const askLedger = async (parameters: Members) => parse((await post(ledgerUrl, JSON.stringify(parameters))).text)

    const pair: Pair = { name, action, request, recorded: parse(response), askLedger }
    const difference = DIFFERENCES.find(({ pairs }) => pairs(pair))
    const takeBack = TAKEN_BACK.has(name)
    if (takeBack) node.hold()
    const reply = await through.post(text)
    checkAnswer(through.app.endpoints.actions, request.action, reply)
    if (takeBack) {
      await node.drop(hashOf(request.block))
      await node.release()
    }
    // Actions that are not offered were executed on the recorded node, so they must be executed on this ledger too.
    if (typeof request.action === 'string' && !OFFERED.has(action)) await post(ledgerUrl, text)
    if (NOT_REPEATABLE[name] !== undefined) {
      skipped.push(`${name}: ${NOT_REPEATABLE[name]}`)
      continue
    }
    const expected = await expectedOf(pair, difference)
    compared++
    if (difference) used.set(difference, [...(used.get(difference) ?? []), name])
    wrong.push(...judge(expected, action, reply).map((problem) => `${seq} ${name}: ${problem}`))
    if (action === 'work_generate' && reply.status === 200) {
      const { hash, work, difficulty } = reply.json()
      assert.equal(BigInt(`0x${difficulty}`), workValue(hash!, work!))
    }
  }

  console.log(`recorded node: ${compared} pairs compared through the gateway, ${skipped.length} skipped`)
  for (const line of skipped) console.log(`  skipped ${line}`)
  for (const [{ reason }, names] of used) console.log(`  ${names.length} differ on purpose: ${reason}`)
  assert.deepEqual(wrong, [])
  assert.deepEqual(
    DIFFERENCES.filter((difference) => !used.has(difference)).map(({ reason }) => reason),
    [],
    'every listed difference is met',
  )
  assert.ok(compared >= 390)
})

function parse(text: string): Members {
  try {
    const value: unknown = JSON.parse(text)
    return isContainer(value) ? value : {}
  } catch {
    return {}
  }
}
