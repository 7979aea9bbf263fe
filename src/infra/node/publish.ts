import { AppError, LedgerRefusal } from '../../kernel/errors.ts'
import { type Block, hashBlock, toBlockJson } from '../../kernel/nano/block.ts'
import { type UpstreamFailure, toFailure } from './failure.ts'
import type { Upstream } from './upstream.ts'

const PUBLISH_TIMEOUT = 10_000
const LOOKUP_TIMEOUT = 5_000

/** A node behind the others says so of blocks that are fine elsewhere. */
const MAY_LAG = new Set(['Gap previous block', 'Gap source block'])

/**
 * Brings one block to the ledger. Every node gets the same bytes at most once, so there is never a second block; a
 * reply that was lost is replaced by looking the block's hash up, so there is never a false failure.
 */
export async function publishBlock(
  nodes: readonly Upstream[],
  block: Block,
  subtype: string | undefined,
): Promise<string> {
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
    try {
      const { error } = await node.call(body, PUBLISH_TIMEOUT)
      if (typeof error !== 'string') {
        republish(nodes.slice(at + 1), body)
        return hash
      }
      // After a lost reply the words of the refusal prove nothing: the block itself may be what it collides with.
      if (lost && (await isKnown(nodes, hash))) return hash
      refusal ??= error
      if (!MAY_LAG.has(error)) break
    } catch (error) {
      const failure = toFailure(error)
      if (failure.kind !== 'refused') {
        lost = failure
        if (await isKnown(nodes, hash)) {
          republish(nodes.slice(at + 1), body)
          return hash
        }
      }
    }
  }
  if (refusal !== undefined) throw new LedgerRefusal(refusal)
  throw unknownOutcome(hash, lost)
}

/** The other nodes hear of the block too; what they say changes nothing. */
function republish(nodes: readonly Upstream[], body: string): void {
  for (const node of nodes) if (node.healthy) node.call(body, PUBLISH_TIMEOUT).catch(() => undefined)
}

/** Whether any node has the block; nodes that fail count as not knowing. */
async function isKnown(nodes: readonly Upstream[], hash: string): Promise<boolean> {
  const body = JSON.stringify({ action: 'block_info', hash, json_block: 'true' })
  const answers = await Promise.allSettled(nodes.map((node) => node.call(body, LOOKUP_TIMEOUT)))
  return answers.some(({ status, ...rest }) => {
    const value = 'value' in rest ? rest.value : undefined
    return status === 'fulfilled' && value?.error === undefined
  })
}

function unknownOutcome(hash: string, lost: UpstreamFailure | undefined): AppError {
  if (!lost) return new AppError('no_node', 'No node available. Try again in a few seconds.')
  const code = lost.kind === 'timeout' ? 'publish_timeout' : 'publish_unknown'
  const text = 'No node confirmed the block. Look its hash up before you send anything again.'
  return new AppError(code, text, { body: { hash }, cause: lost })
}
