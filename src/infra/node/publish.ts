import { AppError, LedgerRefusal } from '../../kernel/errors.ts'
import type { Failures } from '../../kernel/failures.ts'
import { type Block, hashBlock, toBlockJson } from '../../kernel/nano/block.ts'
import { UpstreamFailure, toFailure } from './failure.ts'
import type { Upstream } from './upstream.ts'

const PUBLISH_TIMEOUT = 10_000
const LOOKUP_TIMEOUT = 5_000

/** Refusals of a node that is behind, for blocks that other nodes accept. */
const MAY_LAG = new Set(['Gap previous block', 'Gap source block'])

interface Published {
  hash: string
  /** A node that certainly has the block. */
  holder: Upstream
}

/**
 * Publishes one block. Every node gets the same bytes at most once, so there is never a second block. After a lost
 * reply the block is looked up by its hash, so a published block is never reported as failed.
 */
export async function publishBlock(
  nodes: readonly Upstream[],
  block: Block,
  subtype: string | undefined,
  failures: Failures,
): Promise<Published> {
  const hash = hashBlock(block)
  const body = JSON.stringify({
    action: 'process',
    json_block: 'true',
    block: toBlockJson(block),
    ...(subtype !== undefined && { subtype }),
  })
  let refusal: string | undefined
  let lost: UpstreamFailure | undefined
  for (const [at, node] of nodes.entries()) {
    const published = (holder: Upstream): Published => {
      republish(nodes.slice(at + 1), body, failures)
      return { hash, holder }
    }
    try {
      const answer = await node.ask(body, PUBLISH_TIMEOUT)
      if (answer.hash === hash) return published(node)
      if (typeof answer.error !== 'string') throw new UpstreamFailure('broken', 'neither a hash nor a refusal')
      // One lying node must not prevent the publication, so a refusal that may come from a lagging node is replaced by
      // another node's.
      if (refusal === undefined || MAY_LAG.has(refusal)) refusal = answer.error
    } catch (error) {
      const failure = toFailure(error)
      if (failure.kind === 'refused') continue
      lost = failure
      const holder = await findHolder(nodes, hash, failures)
      if (holder) return published(holder)
    }
  }
  if (!lost && refusal !== undefined) throw new LedgerRefusal(refusal)
  // If an earlier reply was lost, that node may have published the block, and this refusal may be caused by it.
  const holder = lost && refusal !== undefined ? await findHolder(nodes, hash, failures) : undefined
  if (holder) return { hash, holder }
  throw unknownOutcome(hash, lost)
}

/** Sends the block to the other nodes as well; their answers change nothing. */
function republish(nodes: readonly Upstream[], body: string, failures: Failures): void {
  for (const node of nodes) {
    if (node.healthy) node.ask(body, PUBLISH_TIMEOUT).catch(failures.lost('node.republish'))
  }
}

/** The first node that has the block; a node that fails counts as not having it. */
function findHolder(nodes: readonly Upstream[], hash: string, failures: Failures): Promise<Upstream | undefined> {
  const body = JSON.stringify({ action: 'block_info', hash, json_block: 'true' })
  const lookups = nodes.map(async (node) => {
    const { block_account: account } = await node.ask(body, LOOKUP_TIMEOUT)
    if (typeof account !== 'string') throw new UpstreamFailure('broken', 'no such block')
    return node
  })
  return Promise.any(lookups).catch(failures.lost('node.lookup'))
}

function unknownOutcome(hash: string, lost: UpstreamFailure | undefined): AppError {
  if (!lost) return new AppError('no_node', 'No node available. Try again in a few seconds.')
  const code = lost.kind === 'timeout' ? 'publish_timeout' : 'publish_unknown'
  const text = 'No node confirmed the block. Look up its hash before sending again.'
  return new AppError(code, text, { body: { hash }, cause: lost })
}
