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
 * A program for a node that changes its URL to `/node` must get a node's answers. So every request recorded at a real node V27.1 is sent to this endpoint,
 * in order, and the answers are compared with the node's, byte for byte, without exceptions.
 */

/** Values that differ on every node: its clock, its identity, and randomly chosen work and voters. */
const NOT_REPEATED: [path: RegExp, form: RegExp][] = [
  [/[. ](modified_timestamp|local_timestamp)$/, /^\d{10}$/],
  [/^telemetry timestamp$/, /^\d{13}$/],
  [/^(telemetry uptime|uptime seconds)$/, /^\d+$/],
  [/^telemetry node_id$/, /^node_[13][13-9a-km-uw-z]{59}$/],
  [/^telemetry signature$/, /^[0-9A-F]{128}$/],
  [/^version build_info$/, /./],
  [/^work_generate (work|difficulty)$/, /^[0-9a-f]{16}$/],
  [/^work_generate multiplier$/, /^\d+\.\d{15}$/],
]
/** The placeholder among an election's voters, which a node chooses at random. */
const PLACEHOLDER = /"nano_\w{60}": "0"/
/** The recorded count includes two blocks published by requests that were not recorded. */
const NOT_RECORDED_WHOLE = 'block_count_with_unchecked'

const LINE = /^( *)(?:"((?:[^"\\]|\\.)*)": )?(?:"(.*)"|.*?)(,?)$/

/** Checks the form of such values and replaces them by their names; every other byte stays. */
function settle(action: string, text: string): string {
  const path: (string | undefined)[] = []
  const lines = text.split('\n').map((line) => {
    const [, indent = '', name, value] = LINE.exec(line)!
    path.length = indent.length / 4
    const at = `${action} ${[...path, name].filter((each) => each !== undefined && each !== '').join('.')}`
    path.push(name)
    if (action === 'confirmation_info') return line.replace(PLACEHOLDER, '"…": "0"')
    const isDrawn = value !== undefined && NOT_REPEATED.some(([known, form]) => known.test(at) && form.test(value))
    return isDrawn ? line.replace(`"${value}"`, '"…"') : line
  })
  return lines.join('\n')
}

test('every recorded request of a node is answered at /node as the node did, with nothing added and nothing else (contract 4.8, rules 1 and 2)', async (t) => {
  const elsewhere = toAddress('B'.repeat(64))
  const names = { KNOWN_NAMES: JSON.stringify({ bank: elsewhere, faucet: elsewhere }) }
  // Without a cache, because the recording reads the same counters within milliseconds.
  const gateway = await openGateway(t, { CACHE_BYTES_MAX: '0', DEVNET_CONFIRM_MS: '0', ...names })
  const { node, rpcUrl } = gateway.app.devnet!
  const restricted = await openDevnet(t, { control: false })
  // With a node that computes no work for others, and no own source of work.
  const foreign = { NODE_URLS: restricted.rpcUrl, NODE_NETWORK: 'dev', WORK_NODES: 'false', CACHE_BYTES_MAX: '0' }
  const outside = await openGateway(t, foreign)
  const offered = new Set(
    gateway.app.endpoints.actions
      .filter(({ ofNode }) => ofNode)
      .flatMap(({ name, synonyms = [], ownSynonyms = [], asNode: { names = [] } = {} }) =>
        [name, ...synonyms, ...names].filter((n) => !ownSynonyms.includes(n)),
      ),
  )

  let compared = 0
  const notOffered: string[] = []
  const wrong: string[] = []
  for (const recorded of RECORDING) {
    const { seq, name, method = 'POST', request = '', response = '', response_headers = {} } = recorded
    if (recorded.effect_blocks) {
      await applyEffects(node, recorded)
      continue
    }
    // Of two fields with one name the node reads the first.
    const action = /"action"\s*:\s*"?([^",}]*)/.exec(request)?.[1] ?? ''
    // A node stops voting while its wallets are locked; here the ledger itself is told to hold confirmations.
    if (action === 'wallet_lock') node.hold()
    if (action === 'password_enter') await node.release()
    const isSecond = seq >= SECOND_NODE_FROM
    const reply = await ask(`${(isSecond ? outside : gateway).url}/node`, { method, body: request })
    const isAction = /^[a-z_]+$/.test(action) && !response.includes('Unknown command')
    const isOffered = offered.has(action) || (isSecond && CONTROL_ACTIONS.has(action))
    if (isAction && !isOffered && method === 'POST') {
      // The gateway has its own allow-list: control actions are refused with the node's error.
      const error = CONTROL_ACTIONS.has(action) ? 'RPC control is disabled' : 'Unknown command'
      assert.deepEqual([reply.status, reply.json()], [200, { error }], name)
      notOffered.push(action)
      // The action was executed on the recorded node, so it must be executed on this ledger too.
      await post(isSecond ? restricted.rpcUrl : rpcUrl, request)
      continue
    }
    if (name === NOT_RECORDED_WHOLE) continue
    compared++
    const expected = settle(action, response)
    const given = settle(action, reply.text)
    if (given !== expected || reply.status !== 200) {
      wrong.push(`${seq} ${name} (${reply.status})\n  expected ${expected}\n  given    ${given}`)
    }
    for (const [header, value] of Object.entries(response_headers)) {
      // Our endpoint keeps connections open, to save handshakes, and allows more headers than a node.
      if (header === 'Connection') continue
      const said = String(reply.headers[header.toLowerCase()])
      if (header === 'Access-Control-Allow-Headers' ? !said.startsWith(value) : said !== value) {
        wrong.push(`${seq} ${name}: ${header}: ${said}`)
      }
    }
    if (action !== 'work_generate') continue
    const { hash, work, difficulty } = reply.json()
    if (work) assert.equal(BigInt(`0x${difficulty}`), workValue(hash!, work))
  }
  console.log(
    `node endpoint: ${compared} recorded pairs compared, ${wrong.length} differ; not offered: ${[...new Set(notOffered)].join(', ')}`,
  )
  assert.deepEqual(wrong, [])
  assert.ok(compared >= 350, `${compared}`)
})
