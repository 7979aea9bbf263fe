import { LedgerRefusal, noNode, nodesDisagree } from './errors.ts'
import type { Agreed, NodeAnswer, NodeParams, NodePort } from './ports.ts'

type ReadAgreed = NodePort['readAgreed']

/** The facts of a single node, if one is enough. A refusal by the ledger is a fact, too. */
export const believeOne =
  (read: NodePort['read']): ReadAgreed =>
  async (action, params, toFacts): Promise<Agreed> => {
    const answer = await read(action, params).catch((error: unknown): NodeAnswer => {
      if (error instanceof LedgerRefusal) return { error: error.message }
      throw error
    })
    return { facts: new Set(toFacts(answer)), isEnough: true, answers: [answer] }
  }

/**
 * An answer, one fact of which enough nodes agree on. Throws if they contradict each other, and for a refusal of the
 * ledger.
 */
export async function readAgreedAnswer(
  node: Pick<NodePort, 'readAgreed'>,
  action: string,
  params: NodeParams,
  toFact: (answer: NodeAnswer) => string,
): Promise<NodeAnswer> {
  const agreed = await node.readAgreed(action, params, (answer) => [toFact(answer)])
  const found = agreed.answers.find((answer) => agreed.facts.has(toFact(answer)))
  if (!found) throw notAgreed(agreed)
  if (typeof found.error === 'string') throw new LedgerRefusal(found.error)
  return found
}

/** Why nodes do not agree: they contradict each other, or too few answer. */
export const notAgreed = ({ isEnough }: Agreed): Error => (isEnough ? nodesDisagree() : noNode())
