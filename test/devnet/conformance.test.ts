import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, test } from 'node:test'
import { startDevnet } from '../../src/devnet/index.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { fromBlockJson } from '../../src/kernel/nano/block.ts'
import { verifyHash } from '../../src/kernel/nano/keys.ts'
import { workValue } from '../../src/kernel/nano/work.ts'
import { testRandom } from '../support/random.ts'
import { RECORDING, SECOND_NODE_FROM, applyEffects } from '../support/recorded.ts'

/*
 * 404 requests recorded from a real node V27.1 on its development network. The development ledger must give the same answers, byte for byte after parsing,
 * except for values that differ on every node.
 */

/** Actions that are neither in the contract nor on the ledger's own port, with the reason. */
const NOT_OFFERED: Record<string, string> = {
  confirmation_active: 'diagnostics of elections',
  election_statistics: 'diagnostics of elections',
  frontiers: 'unbounded scan',
  ledger: 'unbounded scan',
  unchecked: 'unbounded scan',
  unopened: 'unbounded scan',
  password_enter: 'node wallet; here it marks where confirmation resumes',
  wallet_lock: 'node wallet; here it marks where confirmation stops',
  send: 'node wallet',
  wallet_seed: 'node wallet',
  receive_minimum: 'node wallet',
  account_list: 'node wallet',
  stats: 'node statistics',
  stats_clear: 'node statistics',
}

/** Recorded requests that cannot be repeated, with the reason. */
const NOT_REPEATABLE: Record<string, string> = {
  control_disabled_stats_type: 'node statistics',
  confirmation_history: 'elections of the recorded node took time, and some blocks had none',
  confirmation_history_hash: 'elections of the recorded node took time',
  block_create_wallet: 'signs with a wallet of the recorded node',
  block_count_with_unchecked: 'two of the gap blocks it counts were sent in requests that were not recorded',
}

/** Fields that differ in each run, and how each is checked instead. */
type Check = (value: unknown, context: { answer: Record<string, unknown>; request: Record<string, unknown> }) => boolean
const isText =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)
const VOLATILE: Record<string, { reason: string; check: Check }> = {
  modified_timestamp: { reason: 'time of the run', check: isText(/^\d{10}$/) },
  local_timestamp: { reason: 'time of the run', check: isText(/^\d{10}$/) },
  timestamp: { reason: 'time of the run', check: isText(/^\d{13}$/) },
  uptime: { reason: 'duration', check: isText(/^\d+$/) },
  seconds: { reason: 'duration', check: isText(/^\d+$/) },
  node_id: { reason: 'node id', check: isText(/^node_[13][13-9a-km-uw-z]{59}$/) },
  build_info: { reason: 'build info', check: isText(/./) },
}
const VOLATILE_BY_ACTION: Record<string, Record<string, { reason: string; check: Check }>> = {
  telemetry: { signature: { reason: 'signed by the node id', check: isText(/^[0-9A-F]{128}$/) } },
  work_generate: {
    work: { reason: 'random work', check: isText(/^[0-9a-f]{16}$/) },
    difficulty: {
      reason: 'follows from random work',
      check: (value, { answer }) =>
        value === workValue(String(answer.hash), String(answer.work)).toString(16).padStart(16, '0'),
    },
    multiplier: { reason: 'follows from random work', check: isText(/^\d+\.\d{15}$/) },
  },
  block_create: {
    difficulty: { reason: 'follows from random work', check: isText(/^[0-9a-f]{16}$/) },
    work: { reason: 'random work', check: isText(/^[0-9a-f]{16}$/) },
    signature: { reason: 'the node signs with a random nonce', check: isText(/^[0-9A-F]{128}$/) },
    block: { reason: 'holds a random signature', check: hasValidSignature },
  },
  sign: {
    signature: { reason: 'the node signs with a random nonce', check: isText(/^[0-9A-F]{128}$/) },
    block: { reason: 'holds a random signature', check: hasValidSignature },
  },
  key_create: {
    private: { reason: 'random key', check: isText(/^[0-9A-F]{64}$/) },
    public: { reason: 'random key', check: isText(/^[0-9A-F]{64}$/) },
    account: { reason: 'random key', check: isText(/^nano_[13]/) },
  },
  confirmation_info: {
    representatives: {
      reason: 'a random account stands in for the first voter',
      check: (value) => JSON.stringify(Object.values(value as object)) === '["0"]',
    },
  },
}

function hasValidSignature(value: unknown, { answer }: { answer: Record<string, unknown> }): boolean {
  const members = (typeof value === 'string' ? JSON.parse(value) : value) as Record<string, string>
  const block = fromBlockJson((name) => members[name])
  if (block?.type !== 'state') return false
  const hash = typeof answer.hash === 'string' ? answer.hash : undefined
  return hash === undefined || verifyHash(block.account, hash, block.signature)
}

/** Checks the form of volatile fields and replaces their values by a mark. */
function settle(action: string, answer: unknown, request: Record<string, unknown>, marks: Set<string>): unknown {
  const root = answer as Record<string, unknown>
  const walk = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(walk)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const rule = VOLATILE_BY_ACTION[action]?.[name] ?? VOLATILE[name]
        if (!rule) return [name, walk(inner)]
        marks.add(`${action}.${name}: ${rule.reason}`)
        return [name, rule.check(inner, { answer: root, request }) ? '<volatile>' : inner]
      }),
    )
  }
  return walk(answer)
}

function ask(url: string, method: string, body: string) {
  return new Promise<{ text: string; headers: Record<string, string> }>((resolve, reject) => {
    const call = httpRequest(url, { method, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const headers: Record<string, string> = {}
        for (let at = 0; at < response.rawHeaders.length; at += 2) {
          headers[response.rawHeaders[at]!] = response.rawHeaders[at + 1]!
        }
        resolve({ text: Buffer.concat(chunks).toString(), headers })
      })
    })
    call.on('error', reject)
    call.end(body)
  })
}

test('the development ledger answers the recorded requests as the real node did', async () => {
  const options = { file: ':memory:', clock: systemClock, random: testRandom }
  const devnet = await startDevnet(options)
  const restricted = await startDevnet({ ...options, control: false })
  after(() => Promise.all([devnet.close(), restricted.close()]))

  const marks = new Set<string>()
  const excluded: string[] = []
  const differences: string[] = []
  let matched = 0
  for (const pair of RECORDING) {
    if (pair.effect_blocks) {
      await applyEffects(devnet.node, pair)
      continue
    }
    const { seq, name, method = 'POST', request = '', response = '' } = pair
    const parsed = parse(request)
    const action = String(parsed.action)
    if (action === 'wallet_lock') devnet.node.hold()
    if (action === 'password_enter') await devnet.node.release()

    const controlOff = seq >= SECOND_NODE_FROM
    const actual = await ask(controlOff ? restricted.rpcUrl : devnet.rpcUrl, method, request)
    const refused = response.includes('RPC control is disabled')
    const reason = NOT_REPEATABLE[name] ?? (refused ? undefined : NOT_OFFERED[action])
    if (reason !== undefined) {
      excluded.push(`${seq} ${name}: ${reason}`)
      continue
    }
    const expected = settle(action, parse(response), parsed, marks)
    const given = settle(action, parse(actual.text), parsed, marks)
    const headers = pair.response_headers ?? {}
    const headersAgree = Object.entries(headers).every(([header, value]) => actual.headers[header] === value)
    if (JSON.stringify(given) === JSON.stringify(expected) && headersAgree) matched++
    else differences.push(`${seq} ${name}\n  expected ${JSON.stringify(expected)}\n  given    ${JSON.stringify(given)}`)
  }

  const pairs = RECORDING.filter((pair) => !pair.effect_blocks).length
  console.log(`conformance: ${matched} of ${pairs} recorded pairs match, ${excluded.length} excluded`)
  for (const line of excluded) console.log(`  excluded ${line}`)
  for (const mark of [...marks].sort()) console.log(`  volatile ${mark}`)
  assert.deepEqual(differences, [])
  assert.equal(matched + excluded.length, pairs)
  assert.ok(matched >= 370)
})

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : { text }
  } catch {
    return { text }
  }
}
