import { parseHex, previousOf, rootOf } from '../../kernel/nano/block.ts'
import { type Members, members } from '../answer.ts'
import { refusal } from '../../kernel/nano/node-refusal.ts'
import type { LedgerNode } from '../node.ts'
import type { StoredBlock } from '../records.ts'
import { blockContents } from './block-details.ts'
import type { Handler } from './handler.ts'

/** The node counts an account without an owner as the first voter of each election. */
const PLACEHOLDER_VOTER = 'nano_1111111111111111111111111111111111111111111111111113b8661hfk'
const QUORUM_PERCENT = 67n

export const confirmationQuorum: Handler = (node, request) => ({
  quorum_delta: ((node.onlineWeight * QUORUM_PERCENT) / 100n).toString(),
  online_weight_quorum_percent: QUORUM_PERCENT.toString(),
  online_weight_minimum: '1',
  online_stake_total: node.onlineWeight.toString(),
  trended_stake_total: '1',
  peers_stake_total: '0',
  ...(request.flag('peer_details') && { peers: '' }),
})

/** No representative has voted while an election is open here, so all tallies are zero. */
export const confirmationInfo: Handler = (node, request) => {
  const root = parseHex(request.text('root'), 128)
  if (root === undefined) throw refusal('Invalid root hash')
  const stored = findElection(node, root)
  if (!stored) throw refusal('Active confirmation not found')
  const entry: Members = { tally: '0' }
  if (request.flag('contents', true)) entry.contents = blockContents(stored.block, request.flag('json_block'))
  if (request.flag('representatives')) entry.representatives = { [PLACEHOLDER_VOTER]: '0' }
  const blocks = members()
  blocks[stored.hash] = entry
  return { announcements: '0', voters: '1', last_winner: stored.hash, total_tally: '0', final_tally: '0', blocks }
}

/** What was confirmed since the start. Elections take no time here. */
export const confirmationHistory: Handler = (node, request) => {
  const wanted = request.find('hash')
  const elections = node.elections.past.filter(({ hash }) => wanted === undefined || hash === wanted.toUpperCase())
  const confirmations = elections.map(({ hash, at, tally }) => ({
    hash,
    duration: '0',
    time: `${at}`,
    tally: `${tally}`,
    final: `${tally}`,
    blocks: '1',
    voters: `${node.listOnline().length + 1}`,
    request_count: '0',
  }))
  return {
    confirmation_stats: { count: `${confirmations.length}`, ...(confirmations.length > 0 && { average: '0' }) },
    confirmations: confirmations.length === 0 ? '' : confirmations,
  }
}

function findElection(node: LedgerNode, qualifiedRoot: string): StoredBlock | undefined {
  return node.ledger
    .listUnconfirmed()
    .find((stored) => rootOf(stored.block) + previousOf(stored.block) === qualifiedRoot && node.isActive(stored))
}
