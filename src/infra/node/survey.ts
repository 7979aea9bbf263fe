import { ZERO_HASH } from '../../kernel/nano/block.ts'
import { isHex } from '../../kernel/nano/hex.ts'
import type { NodeAnswer, NodeParams, Survey } from '../../kernel/ports.ts'
import { textOf } from '../../kernel/shape.ts'
import { LAG_BLOCKS_MAX } from './limits.ts'
import type { Upstream } from './upstream.ts'

type Surveyed = Pick<Upstream, 'belongs' | 'suspect' | 'healthy' | 'cemented' | 'cementedMost'>

interface SurveyNeeds<U> {
  upstreams: readonly U[]
  ask(upstream: U, action: string, params: NodeParams): Promise<NodeAnswer>
}

/**
 * Asks all nodes the same questions separately. Nodes with another ledger and nodes that are set aside are left out.
 * Every other node must answer, and must have about as many blocks as it had before: a node that lost its ledger would
 * deny everything until it has caught up.
 */
export async function surveyNodes<U extends Surveyed>(
  { upstreams, ask }: SurveyNeeds<U>,
  account: string,
  hashes: readonly string[],
): Promise<Survey> {
  const asked = upstreams.filter(({ belongs, suspect }) => belongs !== false && !suspect)
  const reports = await Promise.allSettled(
    asked.map(async (upstream) => {
      const [info, blocks] = await Promise.all([
        ask(upstream, 'account_info', { account }),
        ask(upstream, 'blocks_info', { hashes, json_block: true, include_not_found: true }),
      ])
      const missing: unknown = blocks.blocks_not_found
      const denied = new Set(Array.isArray(missing) ? missing.map((hash) => textOf(hash).toUpperCase()) : [])
      const hasAll = upstream.cemented + LAG_BLOCKS_MAX >= upstream.cementedMost
      const isInStep = upstream.healthy && hasAll && blocks.error === undefined
      return { frontier: frontierOf(info), denied, isInStep }
    }),
  )
  const answers = reports.flatMap((report) => (report.status === 'fulfilled' ? [report.value] : []))
  const isWhole = answers.length === asked.length && answers.every((one) => one.isInStep && one.frontier !== undefined)
  const [first] = answers
  return {
    nodes: isWhole ? answers.length : 0,
    frontier: answers.every(({ frontier }) => frontier === first?.frontier) ? first?.frontier : undefined,
    known: new Set(hashes.filter((hash) => answers.some(({ denied }) => !denied.has(hash)))),
  }
}

function frontierOf({ frontier, error }: NodeAnswer): string | undefined {
  if (error === 'Account not found') return ZERO_HASH
  const hash = textOf(frontier)
  return error === undefined && isHex(hash, 64) ? hash.toUpperCase() : undefined
}
