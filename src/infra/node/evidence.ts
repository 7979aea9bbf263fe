import { type Block, fromBlockJson, hashBlock, rootOf } from '../../kernel/nano/block.ts'
import { isHex } from '../../kernel/nano/hex.ts'
import { verifyHash } from '../../kernel/nano/keys.ts'
import { workValue } from '../../kernel/nano/work.ts'
import type { NodeAnswer, Random } from '../../kernel/ports.ts'
import { toList, toObject } from '../../kernel/shape.ts'
import { toFailure } from './failure.ts'
import { LAG_BLOCKS_MAX } from './limits.ts'
import type { Upstream } from './upstream.ts'

/** Blocks that a node is asked to show. */
const SHOWN_MAX = 512
/** Of those that the other one lacks, so many are looked at closely. */
const SAMPLE = 8

interface Contest {
  /** The node that counts more blocks. */
  leader: Upstream
  other: Upstream
  random: Random
  /** The least work of a block on our network. */
  threshold: bigint
}

/**
 * Whether a node that counts more blocks than another one is really ahead. A count proves nothing: either the other node
 * says itself that its network is further, or the leader shows blocks that the other one lacks, as many as its lead
 * suggests, which are signed by their owners and carry work.
 */
export async function isReallyAhead(contest: Contest): Promise<boolean> {
  return (await admitsToBeBehind(contest.other)) || (await showsBlocks(contest))
}

/** A node hears from its peers how far they are; one that is still catching up knows it. */
async function admitsToBeBehind(node: Upstream): Promise<boolean> {
  const heard = Number((await inquire(node, { action: 'telemetry' }))?.cemented_count)
  return Number.isSafeInteger(heard) && heard - node.cemented > LAG_BLOCKS_MAX
}

async function showsBlocks({ leader, other, random, threshold }: Contest): Promise<boolean> {
  const shown = await listShown(leader)
  if (shown.length === 0) return false
  const answer = await inquire(other, { action: 'blocks_info', hashes: shown, include_not_found: 'true' })
  const missing = toList(answer?.blocks_not_found).filter(
    (hash): hash is string => typeof hash === 'string' && shown.includes(hash),
  )
  // Blocks take a moment from node to node: a few that are missing make nobody late by hundreds.
  const expected = Math.ceil(Math.min(leader.cemented - other.cemented, shown.length) / 2)
  if (new Set(missing).size < Math.max(1, expected)) return false
  const sample = pick([...new Set(missing)], SAMPLE, random)
  const told = await inquire(leader, { action: 'blocks_info', hashes: sample, json_block: 'true' })
  const blocks = toObject(told?.blocks)
  return sample.every((hash) => isGenuine(hash, toObject(blocks[hash]), threshold))
}

/** What a node has confirmed lately, as it says itself and as its websocket has told. */
async function listShown(node: Upstream): Promise<string[]> {
  const history = await inquire(node, { action: 'confirmation_history' })
  const listed = toList(history?.confirmations)
    .map((entry) => String(toObject(entry).hash).toUpperCase())
    .filter((hash) => isHex(hash, 64))
  return [...new Set([...listed.slice(-SHOWN_MAX), ...node.heard])].slice(-SHOWN_MAX)
}

/** Nobody can make these up without the key of the account and the work of the network. */
function isGenuine(hash: string, { confirmed, contents }: Record<string, unknown>, threshold: bigint): boolean {
  if (confirmed !== 'true') return false
  const members = toObject(contents)
  const block = fromBlockJson((name) => {
    const value = members[name]
    return typeof value === 'string' ? value : undefined
  })
  if (block?.type !== 'state' || hashBlock(block) !== hash) return false
  return verifyHash(block.account, hash, block.signature) && hasWork(block, threshold)
}

const hasWork = (block: Block, threshold: bigint) => workValue(rootOf(block), block.work) >= threshold

/** Undefined when the node will not say; a node that cannot be asked is the end of the contest. */
async function inquire(node: Upstream, request: object): Promise<NodeAnswer | undefined> {
  try {
    return await node.inquire(request)
  } catch (error) {
    const failure = toFailure(error)
    if (failure.kind === 'broken') return undefined
    throw failure
  }
}

/** Some of a list, at random: whoever made it up does not know which. */
function pick<T>(list: readonly T[], count: number, random: Random): T[] {
  const left = [...list]
  const picked: T[] = []
  while (picked.length < count && left.length > 0) {
    const [low = 0, high = 0] = random.bytes(2)
    picked.push(...left.splice((low + high * 256) % left.length, 1))
  }
  return picked
}
