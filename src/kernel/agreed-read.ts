import { LedgerRefusal, noNode, nodesDisagree } from './errors.ts'
import type { Agreed, NodeAnswer, NodeParams, NodePort } from './ports.ts'

type ReadAgreed = NodePort['readAgreed']

/** The facts from a single node, where one is enough. A refusal by the ledger is a fact as well. */
export const believeOne =
  (read: NodePort['read']): ReadAgreed =>
  async (action, params, toFacts): Promise<Agreed> => {
    const answer = await read(action, params).catch((error: unknown): NodeAnswer => {
      if (error instanceof LedgerRefusal) return { error: error.message }
      throw error
    })
    return { facts: new Set(toFacts(answer)), isEnough: true, answers: [answer] }
  }

/** An answer in one fact of which the required number of nodes agree. Throws when they contradict each other, and refusals of the ledger. */
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

/** The reason why nodes do not agree: they contradict each other, or too few of them answer. */
export const notAgreed = ({ isEnough }: Agreed): Error => (isEnough ? nodesDisagree() : noNode())
