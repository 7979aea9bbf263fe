import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { CONTROL_ACTIONS } from '../../src/kernel/nano/control-actions.ts'
import { workValue } from '../../src/kernel/nano/work.ts'
import { openDevnet } from '../support/devnet.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { RECORDING, SECOND_NODE_FROM, applyEffects } from '../support/recorded.ts'
import { post } from '../support/rpc.ts'

/*
 * A program that was written for a node changes its address to `/node` and finds what it found at the node. So every request
 * that was recorded at a real node V27.1 goes through this door, in order, and the answers are held against the node's own:
 * equal after parsing, members in the same order, status 200. There is no list of differences.
 */
type Members = Record<string, unknown>

/** What a node itself does not say twice: its clock, its own identity, and work and voters that it draws at random. */
const NOT_REPEATED: [path: RegExp, form: RegExp][] = [
  [/[. ](modified_timestamp|local_timestamp)$/, /^\d{10}$/],
  [/^telemetry timestamp$/, /^\d{13}$/],
  [/^(telemetry uptime|uptime seconds)$/, /^\d+$/],
  [/^telemetry node_id$/, /^node_[13][13-9a-km-uw-z]{59}$/],
  [/^telemetry signature$/, /^[0-9A-F]{128}$/],
  [/^version build_info$/, /./],
  [/^work_generate (work|difficulty)$/, /^[0-9a-f]{16}$/],
  [/^work_generate multiplier$/, /^\d+\.\d{15}$/],
  [/^confirmation_info blocks\.\w{64}\.representatives$/, /^\{"nano_\w{60}":"0"\}$/],
]
/** The recording counts two blocks that were sent in requests which are not in it. */
const NOT_RECORDED_WHOLE = 'block_count_with_unchecked'

/** Replaces what is not repeated by its name, once it has the right form. */
function settle(action: string, value: unknown, at = ''): unknown {
  const path = `${action} ${at}`
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (NOT_REPEATED.some(([name, form]) => name.test(path) && form.test(text))) return '…'
  if (Array.isArray(value)) return value.map((inner) => settle(action, inner, at))
  if (typeof value !== 'object' || value === null) return value
  const below = (name: string) => (at === '' ? name : `${at}.${name}`)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, settle(action, inner, below(name))]))
}

function parse(text: string): Members | string {
  try {
    return JSON.parse(text) as Members
  } catch {
    return text
  }
}

test('every recorded request of a node is answered at /node as the node did, with nothing added and nothing else (contract 4.8, rules 1 and 2)', async (t) => {
  const elsewhere = toAddress('B'.repeat(64))
  const names = { KNOWN_NAMES: JSON.stringify({ bank: elsewhere, faucet: elsewhere }) }
  // Without a cache, because the recording asks for the same counters within milliseconds.
  const gateway = await openGateway(t, { CACHE_BYTES_MAX: '0', DEVNET_CONFIRM_MS: '0', ...names })
  const { node, rpcUrl } = gateway.app.devnet!
  const restricted = await openDevnet(t, { control: false })
  // Before a node that computes nothing for others, with no source of work of its own.
  const foreign = { NODE_URLS: restricted.rpcUrl, NODE_NETWORK: 'dev', WORK_NODES: 'false', CACHE_BYTES_MAX: '0' }
  const outside = await openGateway(t, foreign)
  const offered = new Set(
    gateway.app.doors.actions
      .filter(({ ofNode }) => ofNode)
      .flatMap(({ name, synonyms = [], ownSynonyms = [] }) =>
        [name, ...synonyms].filter((n) => !ownSynonyms.includes(n)),
      ),
  )

  let compared = 0
  const notOffered: string[] = []
  const wrong: string[] = []
  for (const recorded of RECORDING) {
    const { seq, name, method = 'POST', request = '', response = '' } = recorded
    if (recorded.effect_blocks) {
      await applyEffects(node, recorded)
      continue
    }
    // Of two members with one name the node reads the first.
    const action = /"action"\s*:\s*"?([^",}]*)/.exec(request)?.[1] ?? ''
    // Node wallets stop voting while they are locked; here that is told to the ledger itself.
    if (action === 'wallet_lock') node.hold()
    if (action === 'password_enter') await node.release()
    const isSecond = seq >= SECOND_NODE_FROM
    const reply = await ask(`${(isSecond ? outside : gateway).url}/node`, { method, body: request })
    const isAction = /^[a-z_]+$/.test(action) && !response.includes('Unknown command')
    const isOffered = offered.has(action) || (isSecond && CONTROL_ACTIONS.has(action))
    if (isAction && !isOffered && method === 'POST') {
      // The allow-list is the gateway's: what a node would do for its operator is refused in a node's words.
      const error = CONTROL_ACTIONS.has(action) ? 'RPC control is disabled' : 'Unknown command'
      assert.deepEqual([reply.status, reply.json()], [200, { error }], name)
      notOffered.push(action)
      // It still happened to the recorded ledger, so it must happen to this one.
      await post(isSecond ? restricted.rpcUrl : rpcUrl, request)
      continue
    }
    if (name === NOT_RECORDED_WHOLE) continue
    compared++
    const expected = JSON.stringify(settle(action, parse(response)))
    const given = JSON.stringify(settle(action, parse(reply.text)))
    // A preflight has no body, and no content is what it says.
    const status = method === 'OPTIONS' ? 204 : 200
    if (given !== expected || reply.status !== status) {
      wrong.push(`${seq} ${name} (${reply.status})\n  expected ${expected}\n  given    ${given}`)
    }
    const { hash, work, difficulty } = (parse(reply.text) || {}) as Record<string, string>
    if (action === 'work_generate' && work) assert.equal(BigInt(`0x${difficulty}`), workValue(hash!, work))
  }
  console.log(
    `node door: ${compared} recorded pairs compared, ${wrong.length} differ; not offered: ${[...new Set(notOffered)].join(', ')}`,
  )
  assert.deepEqual(wrong, [])
  assert.ok(compared >= 350, `${compared}`)
})
