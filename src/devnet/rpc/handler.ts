import type { Answer } from '../../kernel/nano/node-answer.ts'
import type { LedgerNode } from '../node.ts'
import type { NodeRequest } from '../../kernel/nano/node-request.ts'

/** One action of the node: reads its parameters, throws refusals, and answers in the node's format. */
export type Handler = (node: LedgerNode, request: NodeRequest) => Answer | Promise<Answer>

/** An old name of an action, which the node serves with a hint about the new one. */
export function deprecated(handler: Handler): Handler {
  return async (node, request) => ({ deprecated: '1', ...((await handler(node, request)) as object) })
}
