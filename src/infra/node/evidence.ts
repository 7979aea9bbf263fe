import { readContents, proveBlock } from '../../kernel/nano/ledger-send.ts'
import { isHex } from '../../kernel/nano/hex.ts'
import type { NodeAnswer, Random } from '../../kernel/ports.ts'
import { type JsonObject, toList, toObject, textOf } from '../../kernel/shape.ts'
import { UpstreamFailure, toFailure } from './failure.ts'
import { LAG_BLOCKS_MAX } from './limits.ts'
import type { Upstream } from './upstream.ts'

/** Blocks that a node is asked to show. */
const SHOWN_MAX = 512
/** How many of those that the other node lacks are verified. */
const SAMPLE = 8

interface Contest {
  /** The node that counts more blocks. */
  leader: Upstream
  other: Upstream
  random: Random
  /** The least work of a block on our network. */
  threshold: bigint
}

/** Undecided when the other node does not say which blocks it has: its silence proves nothing, neither for the leader nor against it. */
export type Verdict = 'won' | 'lost' | 'undecided'

/**
 * Whether a node that counts more blocks than another one is really ahead. A count proves nothing: either the other node
 * reports itself that its network is further, or the leader shows blocks that the other one lacks, as many as its lead
 * suggests, which are signed by their owners and carry work.
 */
export async function weighLead(contest: Contest): Promise<Verdict> {
  return (await admitsToBeBehind(contest.other)) ? 'won' : showBlocks(contest)
}

/** Peers report their counts to each other, so a node that is still catching up knows it. */
async function admitsToBeBehind(node: Upstream): Promise<boolean> {
  const claimed = Number((await tryAsk(node, { action: 'telemetry' }))?.cemented_count)
  return Number.isSafeInteger(claimed) && claimed - node.cemented > LAG_BLOCKS_MAX
}

async function showBlocks({ leader, other, random, threshold }: Contest): Promise<Verdict> {
  const shown = await listShown(leader)
  if (shown.length === 0) return 'lost'
  const request = { action: 'blocks_info', hashes: shown, include_not_found: 'true', json_block: 'true' }
  const answer = await tryAsk(other, request)
  if (!answer) return 'undecided'
  const unfound = new Set(toList(answer.blocks_not_found))
  const missing = shown.filter((hash) => unfound.has(hash))
  // Blocks take a moment from node to node: a few missing ones do not make a node late by hundreds.
  const expected = Math.max(1, Math.ceil(Math.min(leader.cemented - other.cemented, shown.length) / 2))
  if (missing.length < expected) {
    // That it lacks nothing is a claim too: it must show the blocks.
    const had = toObject(answer.blocks)
    const unproven = shown.filter((hash) => !readContents(hash, toObject(had[hash]).contents))
    return unproven.length < expected ? 'lost' : 'undecided'
  }
  const sample = pick(missing, SAMPLE, random)
  const reported = await inquire(leader, { action: 'blocks_info', hashes: sample, json_block: 'true' })
  const blocks = toObject(reported?.blocks)
  return sample.every((hash) => isGenuine(hash, toObject(blocks[hash]), threshold)) ? 'won' : 'lost'
}

/** Recently confirmed blocks of a node, from its own list and its websocket. */
async function listShown(node: Upstream): Promise<string[]> {
  const history = await inquire(node, { action: 'confirmation_history' })
  const listed = toList(history?.confirmations)
    .map((entry) => textOf(toObject(entry).hash).toUpperCase())
    .filter((hash) => isHex(hash, 64))
  return [...new Set([...listed.slice(-SHOWN_MAX), ...node.announced])].slice(-SHOWN_MAX)
}

/** Such a block cannot be invented without the key of the account and the work of the network. */
function isGenuine(hash: string, reported: JsonObject, threshold: bigint): boolean {
  return reported.confirmed === 'true' && proveBlock(hash, reported, threshold)?.block.type === 'state'
}

/** Undefined for an unusable answer. Throws where there is none, also when the connection broke: that proves nothing and ends the contest. */
async function inquire(node: Upstream, request: object): Promise<NodeAnswer | undefined> {
  try {
    return await node.inquire(request)
  } catch (error) {
    // Failures of the connection are errors of its library.
    if (error instanceof UpstreamFailure && error.kind === 'broken') return undefined
    throw toFailure(error)
  }
}

/** The answer of the accused node; undefined when there is none, for whatever reason. */
async function tryAsk(node: Upstream, request: object): Promise<NodeAnswer | undefined> {
  try {
    const answer = await node.inquire(request)
    return answer.error === undefined ? answer : undefined
  } catch {
    // A missing answer proves nothing; whether the node still works is found out by probes.
    return undefined
  }
}

/** Some of a list, at random: a node that invented it cannot know which. */
function pick<T>(list: readonly T[], count: number, random: Random): T[] {
  const left = [...list]
  const picked: T[] = []
  while (picked.length < count && left.length > 0) {
    const [low = 0, high = 0] = random.bytes(2)
    picked.push(...left.splice((low + high * 256) % left.length, 1))
  }
  return picked
}
