import { LedgerRefusal, nodesDisagree } from './errors.ts'
import type { Agreed, NodeAnswer, NodeParams, NodePort } from './ports.ts'

type ReadAgreed = NodePort['readAgreed']

/** What a single node states, where the word of one is enough. A refusal by the ledger states something as well. */
export const believeOne =
  (read: NodePort['read']): ReadAgreed =>
  async (action, params, toFacts): Promise<Agreed> => {
    const answer = await read(action, params).catch((error: unknown): NodeAnswer => {
      if (error instanceof LedgerRefusal) return { error: error.message }
      throw error
    })
    return { facts: new Set(toFacts(answer)), answers: [answer] }
  }

/** An answer whose one fact as many nodes state as must. Throws when they contradict each other, and what the ledger refuses. */
export async function readAgreedAnswer(
  node: Pick<NodePort, 'readAgreed'>,
  action: string,
  params: NodeParams,
  toFact: (answer: NodeAnswer) => string,
): Promise<NodeAnswer> {
  const { facts, answers } = await node.readAgreed(action, params, (answer) => [toFact(answer)])
  const agreed = answers.find((answer) => facts.has(toFact(answer)))
  if (!agreed) throw nodesDisagree()
  if (typeof agreed.error === 'string') throw new LedgerRefusal(agreed.error)
  return agreed
}
