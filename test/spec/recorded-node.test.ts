import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { formatNano } from '../../src/kernel/money.ts'
import { fromBlockJson, hashBlock } from '../../src/kernel/nano/block.ts'
import { workValue } from '../../src/kernel/nano/work.ts'
import { ledger } from '../../src/modules/ledger/index.ts'
import { work } from '../../src/modules/work/index.ts'
import { checkAnswer } from '../support/answers.ts'
import { openDevnet } from '../support/devnet.ts'
import { type Gateway, type Reply, openGateway } from '../support/gateway.ts'
import { post } from '../support/rpc.ts'

/*
 * Clients that were written for a node must find every member of a node's answer in ours (contract 4.1). So the answers
 * of a real node V27.1, in the order they were recorded, are compared with what the gateway says to the same requests:
 * nothing may be lost, and nothing may be there that was not decided.
 */
type Members = Record<string, unknown>

interface Recorded {
  seq: number
  name: string
  method?: string
  request?: string
  response?: string
  effect_blocks?: Record<string, string>[]
}

interface Pair {
  name: string
  action: string
  request: Members
  /** What the node said. */
  recorded: Members
  /** What the ledger behind the gateway says to other parameters now. */
  askLedger(parameters: Members): Promise<Members>
}

interface Expected {
  status: number
  body: Members
}

const fixtures = JSON.parse(
  readFileSync(new URL('../fixtures/node-fixtures.json', import.meta.url), 'utf8'),
) as Recorded[]

/** From here on the recording comes from a second node with `enable_control` off. */
const CONTROL_OFF_FROM = 505

const OFFERED = new Set(
  [ledger, work].flatMap(({ actions }) => actions.flatMap((a) => [a.name, ...(a.synonyms ?? [])])),
)

/** What the gateway itself sees to be wrong with a request: status 400. Every other text is the ledger's answer. */
const MALFORMED = new Set([
  'Bad account number',
  'Bad difficulty',
  'Bad hash number',
  'Bad multiplier',
  'Bad public key',
  'Bad threshold number',
  'Bad work',
  'Block is invalid',
  'Difficulty above config limit or below publish threshold',
  'Invalid amount number',
  'Invalid block hash',
  'Invalid block subtype',
  'Invalid count',
  'Invalid root hash',
  'Unable to parse JSON',
])

const malformed = (error: string, code = /^invalid_/): Expected => ({
  status: 400,
  body: { error, message: error, code },
})

/** Every deliberate difference from the recording: which pairs it touches, why, and what is expected instead. */
interface Difference {
  pairs: (pair: Pair) => boolean
  reason: string
  expected: (pair: Pair) => Expected | Promise<Expected>
}

const ok = (body: Members): Expected => ({ status: 200, body })
const named =
  (...names: string[]) =>
  ({ name }: Pair) =>
    names.includes(name)
const on =
  (...actions: string[]) =>
  ({ action, recorded }: Pair) =>
    actions.includes(action) && recorded.error === undefined
const isFalse = (flag: unknown) => flag === false || flag === 'false' || flag === 0 || flag === '0'

const DIFFERENCES: Difference[] = [
  {
    pairs: named('action_missing', 'body_empty_object', 'action_empty', 'action_null'),
    reason: 'a missing action has its own text (decisions 1)',
    expected: () => malformed('Action not provided', /^invalid_action$/),
  },
  {
    pairs: ({ action }) => action === '' || (action !== 'undefined' && !OFFERED.has(action)),
    reason: 'an action that is not offered is unknown and never forwarded (decisions 1)',
    expected: () => malformed('Bad action provided.', /^invalid_action$/),
  },
  {
    pairs: named('action_duplicate_key'),
    reason: 'the last of two equal keys counts, as in JavaScript; bodies are re-serialised, so both sides agree',
    expected: async ({ askLedger }) => blockCount(await askLedger({ action: 'block_count' })),
  },
  {
    pairs: (pair) => on('account_info')(pair) && pair.recorded.confirmed_height !== undefined,
    reason: 'the members of contract 2 are there also when confirmed values were asked for',
    expected: ({ recorded }) =>
      ok({
        ...recorded,
        confirmation_height: recorded.confirmed_height,
        confirmation_height_frontier: recorded.confirmed_frontier,
      }),
  },
  {
    pairs: on('block_count'),
    reason: 'both sets of names (decisions 5)',
    expected: ({ recorded }) => blockCount(recorded),
  },
  {
    pairs: (pair) => on('block_info', 'block')(pair) && !isFalse(pair.request.json_block),
    reason: 'contents are an object unless json_block is explicitly false (decisions 5)',
    expected: ({ recorded }) => ok({ ...recorded, contents: toObject(recorded.contents) }),
  },
  {
    pairs: (pair) => on('blocks_info')(pair) && !isFalse(pair.request.json_block),
    reason: 'contents are an object unless json_block is explicitly false (decisions 5)',
    expected: ({ recorded }) =>
      ok({
        ...recorded,
        blocks: mapMembers(recorded.blocks, (block) => ({ ...block, contents: toObject(block.contents) })),
      }),
  },
  {
    pairs: (pair) => on('blocks')(pair) && !isFalse(pair.request.json_block),
    reason: 'the same rule for the contents that `blocks` lists',
    expected: ({ recorded }) => ok({ blocks: mapMembers(recorded.blocks, toObject) }),
  },
  {
    pairs: on('accounts_receivable', 'accounts_pending'),
    reason: 'always hash → {amount, source} (decisions 5); a plain list or amounts become objects',
    expected: async ({ recorded, request, askLedger }) => {
      const full = await askLedger({ ...request, action: 'accounts_receivable', source: 'true' })
      return ok({
        blocks: mapMembers(recorded.blocks, (entries, account) => {
          const hashes = Array.isArray(entries) ? (entries as string[]) : Object.keys(entries)
          const details = (full.blocks as Record<string, Record<string, Members>>)[account]!
          return Object.fromEntries(hashes.map((hash) => [hash, details[hash]!]))
        }),
      })
    },
  },
  {
    pairs: named('accounts_balances_all_invalid'),
    reason: 'the map is there even when it is empty (contract 4.1)',
    expected: ({ recorded }) => ok({ balances: {}, ...recorded }),
  },
  {
    pairs: named('accounts_representatives_none'),
    reason: 'the map is there even when it is empty',
    expected: ({ recorded }) => ok({ representatives: {}, ...recorded }),
  },
  {
    pairs: on('representatives'),
    reason: 'always sorted and cut exactly: unsorted, the node gives one entry too many in any order',
    expected: ({ recorded, request }) => {
      const entries = Object.entries(recorded.representatives as Record<string, string>)
      const sorted = entries.sort(([, a], [, b]) => (BigInt(a) < BigInt(b) ? 1 : -1))
      return ok({ representatives: Object.fromEntries(sorted.slice(0, Number(request.count ?? sorted.length))) })
    },
  },
  {
    pairs: named('nano_to_raw_340282367', 'nano_to_raw_empty'),
    reason: 'exact arithmetic: what cannot exist on the ledger is refused, never wrapped (decisions 5)',
    expected: () => malformed('Invalid amount number'),
  },
  {
    pairs: on('nano_to_raw'),
    reason: 'also under the name `raw` (contract 4.1)',
    expected: ({ recorded }) => ok({ raw: recorded.amount, ...recorded }),
  },
  {
    pairs: on('raw_to_nano'),
    reason: 'exact decimals instead of truncation, also under the name `nano` (decisions 5)',
    expected: ({ request }) => {
      const nano = formatNano(BigInt(String(request.amount)))
      return ok({ nano, amount: nano })
    },
  },
  {
    pairs: (pair) => on('work_validate')(pair) && pair.request.multiplier !== undefined,
    reason: '`valid` is also said for a multiplier, which was 1 in every recorded request (decisions 5)',
    expected: ({ recorded }) => ok({ valid: recorded.valid_all, ...recorded }),
  },
  {
    pairs: named('work_generate_bad_version'),
    reason: '`version` is a field we do not know, and those are ignored: there is one kind of work',
    expected: ({ request }) => workResult(request),
  },
  {
    pairs: named('work_generate_block_enough'),
    reason: '`block` is not read, so work that it already has is not looked at',
    expected: ({ request }) => workResult(request),
  },
  {
    pairs: (pair) => on('work_generate')(pair),
    reason: 'the work result of contract 2 has further members',
    expected: ({ request }) => workResult(request),
  },
  {
    pairs: named('control_disabled_work_cancel'),
    reason: 'cancelling ends one’s own waits only, so that everybody may',
    expected: () => ok({ success: '' }),
  },
  {
    pairs: named('control_disabled_work_generate'),
    reason: 'a node that computes no work for others is no source of work (decisions 2)',
    expected: () => ({
      status: 503,
      body: {
        error: 'No work source available.',
        message: 'No work source available.',
        code: /^no_work$/,
        retry_after: 5,
      },
    }),
  },
  {
    pairs: named('process_async'),
    reason: '`async` is ignored: the answer says what became of the block',
    expected: ({ request }) => ok({ hash: hashOf(request.block) }),
  },
  {
    pairs: named('process_malformed_json_block_true_string'),
    reason: 'a block is read as object or as text, whatever json_block says (decisions 5)',
    expected: ({ request }) => ok({ hash: hashOf(request.block) }),
  },
  {
    pairs: named('control_disabled_process_json_block_force_block'),
    reason: '`force` is refused (decisions 5)',
    expected: () => ({
      status: 403,
      body: {
        error: 'Forced blocks are not accepted.',
        message: 'Forced blocks are not accepted.',
        code: /^feature_disabled$/,
        field: 'force',
      },
    }),
  },
  {
    pairs: named('account_get_short'),
    reason: 'a key has 64 digits; the node pads shorter ones with zeros',
    expected: () => malformed('Bad public key'),
  },
  {
    pairs: named('json_depth_20_brackets'),
    reason: 'lists hold texts; the node fails to read such a list at all',
    expected: () => malformed('Bad account number'),
  },
  {
    pairs: named('json_depth_brackets_in_string'),
    reason: 'only real nesting counts: brackets inside strings are harmless (decisions 1)',
    expected: () => ok({ valid: '0' }),
  },
]

const hashOf = (block: unknown) => hashBlock(fromBlockJson((name) => toObject(block)[name] as string)!)
const blockCount = (answer: Members) => {
  const { count, unchecked, cemented } = answer
  return ok({ ...answer, block_count: count, unchecked_count: unchecked, cemented_count: cemented })
}
const workResult = ({ hash }: Members) =>
  ok({
    hash,
    work: /^[0-9a-f]{16}$/,
    difficulty: /^[0-9a-f]{16}$/,
    multiplier: /^\d+\.\d{15}$/,
    frontier: hash,
    duration: /^\d+\.\d{3}s$/,
    credits: 0,
    // Several recorded requests are about one root.
    cached: /^(true|false)$/,
  })

/** Recorded pairs that no second node can repeat. */
const NOT_REPEATABLE: Record<string, string> = {
  block_count_with_unchecked: 'two of the gap blocks it counts were sent in requests that were not recorded',
}

/** Blocks that the node refused and the gateway publishes; the recording goes on without them. */
const TAKEN_BACK = new Set(['process_malformed_json_block_true_string'])

/** Members that differ from run to run; only their form can be compared. */
const VOLATILE: Record<string, RegExp> = {
  modified_timestamp: /^\d{10}$/,
  local_timestamp: /^\d{10}$/,
  timestamp: /^\d{13}$/,
  uptime: /^\d+$/,
  seconds: /^\d+$/,
  node_id: /^node_[13][13-9a-km-uw-z]{59}$/,
  build_info: /./,
}
/** The same for members that other actions have too: telemetry is signed by the node, a random account stands for a voter. */
const VOLATILE_PATHS = /^signature$|^blocks\.\w{64}\.representatives\.nano_\w{60}$/

/** A hint of the node that its callers should use another name; synonyms are one action here. */
const HINTS = new Set(['deprecated'])

/** Members that hold raw: each has a twin in nano, and nothing else has one. */
const AMOUNTS = new Set(
  `amount available balance confirmed_balance confirmed_pending confirmed_receivable final_tally online_stake_total
  online_weight_minimum peers_stake_total pending quorum_delta receivable tally total_tally trended_stake_total
  weight`.split(/\s+/),
)
const FLAGS_OF_BLOCKS = new Set(['pending', 'receivable'])

/** Adds to every amount its twin; inside a block, `pending` and `receivable` say yes or no. */
function withTwins(action: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return value
  if (Array.isArray(value)) return value.map((inner) => withTwins(action, inner))
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    const isAmount = AMOUNTS.has(name) && typeof inner === 'string' && !/_to_(raw|nano)$/.test(action)
    if (!isAmount || (action === 'blocks_info' && FLAGS_OF_BLOCKS.has(name))) return [[name, withTwins(action, inner)]]
    return [
      [name, inner],
      [`${name}_nano`, formatNano(BigInt(inner))],
    ]
  })
  return Object.fromEntries(entries) as Members
}

/** Says where an answer is not as expected. */
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

function toObject(value: unknown): Members {
  return (typeof value === 'string' ? JSON.parse(value) : value) as Members
}

/** The node writes an empty map as an empty text. */
function mapMembers(map: unknown, change: (value: Members, name: string) => unknown): unknown {
  if (typeof map !== 'object' || map === null) return map
  return Object.fromEntries(Object.entries(map as Record<string, Members>).map(([name, v]) => [name, change(v, name)]))
}

async function expectedOf(pair: Pair, difference: Difference | undefined): Promise<Expected> {
  if (difference) return difference.expected(pair)
  const { error } = pair.recorded
  if (typeof error !== 'string') return ok(pair.recorded)
  return MALFORMED.has(error) ? malformed(error) : ok({ error })
}

/** A refusal may say which field is wrong, and how; the text itself is fixed. */
function judge({ status, body }: Expected, action: string, reply: Reply): string[] {
  if (reply.status !== status) return [`status is ${reply.status}, not ${status}: ${reply.text}`]
  const given = reply.json<Members>()
  if (status !== 400) return compare(withTwins(action, body), given)
  const { field, detail, ...rest } = given
  const explained = [field, detail].every((text) => text === undefined || typeof text === 'string')
  return explained ? compare(body, rest) : ['field and detail are texts']
}

test('every recorded answer of a node comes through the gateway unchanged, but for what was decided', async (t) => {
  // Without a cache, because the recording asks for the same counters within milliseconds.
  const gateway = await openGateway(t, { CACHE_BYTES_MAX: '0' })
  const restricted = await openDevnet(t, { control: false })
  const outside = await openGateway(t, { NODE_URLS: restricted.rpcUrl, NODE_NETWORK: 'dev', CACHE_BYTES_MAX: '0' })
  const { node, rpcUrl } = gateway.app.devnet!

  let compared = 0
  const used = new Map<Difference, string[]>()
  const skipped: string[] = []
  const wrong: string[] = []
  for (const { seq, name, method = 'POST', request: text = '', response = '', effect_blocks } of fixtures) {
    if (effect_blocks) {
      if (seq === 0) continue
      for (const members of effect_blocks) await node.process(fromBlockJson((field) => members[field])!)
      continue
    }
    if (method !== 'POST') {
      skipped.push(`${name}: only POST is an RPC request; see transport.test.ts`)
      continue
    }
    const request = parse(text)
    const action = String(request.action)
    const through: Gateway = seq < CONTROL_OFF_FROM ? gateway : outside
    const ledgerUrl = seq < CONTROL_OFF_FROM ? rpcUrl : restricted.rpcUrl
    // Node wallets stop voting while they are locked; here that is told to the ledger itself.
    if (action === 'wallet_lock') node.hold()
    if (action === 'password_enter') await node.release()
    const askLedger = async (parameters: Members) => parse((await post(ledgerUrl, JSON.stringify(parameters))).text)

    const pair: Pair = { name, action, request, recorded: parse(response), askLedger }
    const difference = DIFFERENCES.find(({ pairs }) => pairs(pair))
    const takeBack = TAKEN_BACK.has(name)
    if (takeBack) node.hold()
    const reply = await through.post(text)
    checkAnswer(through.app.doors.actions, request.action, reply)
    if (takeBack) {
      await node.drop(hashOf(request.block))
      await node.release()
    }
    // What is not offered still happened to the recorded ledger, so it must happen to this one.
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
