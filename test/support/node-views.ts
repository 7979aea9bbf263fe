import { answerBody } from '../../src/devnet/server.ts'
import type { LedgerNode } from '../../src/devnet/index.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { AgreedReader } from '../../src/infra/node/agreed-read.ts'
import { BlockReader } from '../../src/infra/node/block-reader.ts'
import { surveyNodes } from '../../src/infra/node/survey.ts'
import type { Upstream } from '../../src/infra/node/upstream.ts'
import { LedgerRefusal, noNode } from '../../src/kernel/errors.ts'
import { type Block, toBlockJson } from '../../src/kernel/nano/block.ts'
import type { AskAllNodes, NodeAnswer, NodeParams, NodePort } from '../../src/kernel/ports.ts'
import type { Faults } from './faults.ts'

/** One node: the ledger that it answers from, and whether it answers. The test decides about both. */
export interface NodeView {
  name: string
  ledger: LedgerNode
  isAway: boolean
  /** Added to its block count, because a young ledger has too few blocks for a node to be behind. */
  before: number
  /** If set, it refuses blocks with this error. */
  refuses?: string
  /** Changes a correct answer. */
  lie?: (action: string, answer: NodeAnswer, body: string) => NodeAnswer
}

interface Viewing {
  nodes: readonly NodeView[]
  /** How many nodes must confirm a block. */
  confirmNodes: number
  /** The order in which they are asked this time. */
  order(): NodeView[]
}

/** The nodes as seen by one process, which may die at any request. Each answers from its own ledger: a lie is a whole ledger. */
export function openViews(
  { nodes, confirmNodes, order }: Viewing,
  faults: Faults,
): { node: NodePort; askAllNodes: AskAllNodes } {
  const ask = (view: NodeView, action: string, params: NodeParams): Promise<NodeAnswer> =>
    faults.call(async () => {
      if (view.isAway) throw noNode()
      count(view)
      if (view.refuses !== undefined && action === 'process') return { error: view.refuses }
      const texts = Object.entries(params).map(([name, value]) => [
        name,
        typeof value === 'object' ? value : String(value),
      ])
      const body = JSON.stringify({ action, ...(Object.fromEntries(texts) as object) })
      const answer = JSON.parse(await answerBody(view.ledger, body, false)) as NodeAnswer
      return view.lie ? view.lie(action, answer, body) : answer
    })
  const most = new Map<NodeView, number>()
  const count = (view: NodeView) => {
    const blocks = view.ledger.ledger.store.totals().blocks + view.before
    most.set(view, Math.max(blocks, most.get(view) ?? 0))
    return blocks
  }
  const toUpstream = (view: NodeView) => {
    const cemented = count(view)
    return {
      view,
      options: { name: view.name },
      healthy: !view.isAway,
      belongs: true,
      suspect: false,
      cemented,
      cementedMost: most.get(view)!,
      accuse: () => undefined,
    }
  }
  const upstreams = (views: readonly NodeView[]) => views.map(toUpstream) as unknown as Upstream[]
  const viewOf = (upstream: Upstream) => (upstream as unknown as { view: NodeView }).view
  const read: NodePort['read'] = async (action, params) => {
    const view = order().find(({ isAway }) => !isAway)
    if (!view) throw noNode()
    const answer = await ask(view, action, params)
    if (typeof answer.error === 'string') throw new LedgerRefusal(answer.error)
    return answer
  }
  const agreement = {
    pool: {
      order: () => upstreams(order()),
      get upstreams() {
        return upstreams(nodes)
      },
      leastWork: 0n,
    },
    clock: systemClock,
    rules: { nodes: confirmNodes, above: [], alone: 'wait' as const, waitMilliseconds: 10_000 },
    read,
    ask: (upstream: Upstream, action: string, params: NodeParams) => ask(viewOf(upstream), action, params),
    onDisagreement: () => undefined,
  }
  const reader = new BlockReader(agreement)
  const agreed = new AgreedReader(agreement)
  /** Like the gateway: the first node that accepts ends the search, and the others get the block as well. */
  const publish = async (block: Block): Promise<string> => {
    const params = { json_block: true, block: toBlockJson(block) }
    const waiting = order().filter(({ isAway }) => !isAway)
    let refusal: string | undefined
    for (const [at, view] of waiting.entries()) {
      const answer = await ask(view, 'process', params)
      if (typeof answer.hash === 'string') {
        for (const other of waiting.slice(at + 1)) await ask(other, 'process', params)
        return answer.hash
      }
      refusal = String(answer.error)
      if (!refusal.startsWith('Gap ')) break
    }
    throw refusal === undefined ? noNode() : new LedgerRefusal(refusal)
  }
  return {
    node: {
      read,
      readBlocks: (hashes) => reader.readBlocks(hashes),
      readSends: (hashes, previous = []) => reader.readSends(hashes, previous),
      readAgreed: (action, params, toFacts) => agreed.read(action, params, toFacts),
      publish,
    },
    askAllNodes: (account, hashes) =>
      surveyNodes(
        {
          upstreams: upstreams(nodes),
          ask: (upstream, action, params) => ask(viewOf(upstream), action, params),
        },
        account,
        hashes,
      ),
  }
}

/** Copies missing blocks from one ledger to another in their original order. Blocks that do not fit are skipped. */
export async function feed(from: LedgerNode, to: LedgerNode, how: { force?: boolean } = {}): Promise<void> {
  const blocks = from.ledger.store.blocksBefore(Number.MAX_SAFE_INTEGER, 1_000_000).toReversed()
  for (const { hash, block } of blocks) if (!to.ledger.store.hasBlock(hash)) await to.process(block, how)
}
