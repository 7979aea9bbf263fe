import { formatNano } from '../../src/kernel/money.ts'
import { fromBlockJson, hashBlock } from '../../src/kernel/nano/block.ts'
import { LEDGER_ACTIONS } from '../../src/modules/ledger/open.ts'
import { WORK_ACTIONS } from '../../src/modules/work/open.ts'

/* Deliberate differences from the recorded node's answers, and what is expected instead. */

export type Members = Record<string, unknown>

export interface Pair {
  name: string
  action: string
  request: Members
  /** The node's answer. */
  recorded: Members
  /** Asks the gateway's ledger with other parameters. */
  askLedger(parameters: Members): Promise<Members>
}

export interface Expected {
  status: number
  body: Members
}
export const OFFERED = new Set([...LEDGER_ACTIONS, ...WORK_ACTIONS].flatMap((a) => [a.name, ...(a.synonyms ?? [])]))
/** Errors that the gateway itself finds, with status 400. Every other text is the ledger's answer. */
export const MALFORMED = new Set([
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

const refused = (status: number, error: string, code: RegExp, more: Members = {}): Expected => ({
  status,
  body: { error, message: error, code, ...more },
})
export const malformed = (error: string, code = /^invalid_/) => refused(400, error, code)

/** A deliberate difference: which recorded requests it affects, why, and what is expected instead. */
export interface Difference {
  pairs: (pair: Pair) => boolean
  reason: string
  expected: (pair: Pair) => Expected | Promise<Expected>
}

export const ok = (body: Members): Expected => ({ status: 200, body })
const named =
  (...names: string[]) =>
  ({ name }: Pair) =>
    names.includes(name)
const on =
  (...actions: string[]) =>
  ({ action, recorded }: Pair) =>
    actions.includes(action) && recorded.error === undefined
const isFalse = (flag: unknown) => flag === false || flag === 'false' || flag === 0 || flag === '0'

/** The field that a recorded request leaves out. */
const LEFT_OUT: Record<string, string> = {
  ...{
    receivable: 'account',
    account_history: 'count',
    frontiers: 'count',
    validate_account_number: 'account',
    nano_to_raw: 'amount',
    process: 'block',
  },
  ...{ block_info: 'hash', blocks_info: 'hashes', work_generate: 'hash', work_validate: 'hash' },
}

export const DIFFERENCES: Difference[] = [
  {
    pairs: ({ action, recorded }) => recorded.error === 'Unable to parse JSON' && action in LEFT_OUT,
    reason: 'a missing field is named (contract 7, Texts and codes: required field missing)',
    expected: ({ action }) => malformed(`The field ${LEFT_OUT[action]} is required.`),
  },
  {
    pairs: named('action_missing', 'body_empty_object', 'action_empty', 'action_null'),
    reason: 'a missing action has its own text (contract 1, rule 3)',
    expected: () => malformed('Action not provided', /^invalid_action$/),
  },
  {
    pairs: ({ action }) => action === '' || (action !== 'undefined' && !OFFERED.has(action)),
    reason: 'an action that is not offered is unknown and never forwarded (contract 1, rule 4)',
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
    reason: 'both sets of names (contract 4.1)',
    expected: ({ recorded }) => blockCount(recorded),
  },
  {
    pairs: (pair) => on('block_info', 'block')(pair) && !isFalse(pair.request.json_block),
    reason: 'contents are an object unless json_block is explicitly false (contract 4.1, rule 10)',
    expected: ({ recorded }) => ok({ ...recorded, contents: toObject(recorded.contents) }),
  },
  {
    pairs: (pair) => on('blocks_info')(pair) && !isFalse(pair.request.json_block),
    reason: 'the same rule for `blocks_info`',
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
    pairs: on('accounts_receivable'),
    reason: 'always hash → {amount, source} (contract 4.1); a plain list or amounts become objects',
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
    reason: 'exact arithmetic: what cannot exist on the ledger is refused, never wrapped (contract 4.1, rule 9)',
    expected: () => malformed('Invalid amount number'),
  },
  {
    pairs: on('nano_to_raw'),
    reason: 'also under the name `raw` (contract 4.1)',
    expected: ({ recorded }) => ok({ raw: recorded.amount, ...recorded }),
  },
  {
    pairs: on('raw_to_nano'),
    reason: 'exact decimals instead of truncation, also under the name `nano` (contract 4.1, rule 9)',
    expected: ({ request }) => {
      const nano = formatNano(BigInt(String(request.amount)))
      return ok({ nano, amount: nano })
    },
  },
  {
    pairs: (pair) => on('work_validate')(pair) && pair.request.multiplier !== undefined,
    reason: '`valid` is also said for a multiplier, which was 1 in every recorded request (contract 2)',
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
    reason: 'a node that computes no work for others is no source of work (contract 7)',
    expected: () => refused(503, 'No work source available.', /^no_work$/, { retry_after: 5 }),
  },
  {
    pairs: named('process_async'),
    reason: '`async` is ignored: the answer says what became of the block',
    expected: ({ request }) => ok({ hash: hashOf(request.block) }),
  },
  {
    pairs: named('process_malformed_json_block_true_string'),
    reason: 'a block is read as object or as text, whatever json_block says (contract 4.1)',
    expected: ({ request }) => ok({ hash: hashOf(request.block) }),
  },
  {
    pairs: named('control_disabled_process_json_block_force_block'),
    reason: '`force` is refused (contract 4.1, rule 5)',
    expected: () => refused(403, 'Forced blocks are not accepted.', /^feature_disabled$/, { field: 'force' }),
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
    reason: 'only real nesting counts: brackets inside strings are harmless (contract 1, rule 8)',
    expected: () => ok({ valid: '0' }),
  },
]

export const hashOf = (block: unknown) => hashBlock(fromBlockJson((name) => toObject(block)[name] as string)!)
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

function toObject(value: unknown): Members {
  return (typeof value === 'string' ? JSON.parse(value) : value) as Members
}

/** The node writes an empty map as an empty string. */
function mapMembers(map: unknown, change: (value: Members, name: string) => unknown): unknown {
  if (typeof map !== 'object' || map === null) return map
  return Object.fromEntries(Object.entries(map as Record<string, Members>).map(([name, v]) => [name, change(v, name)]))
}
