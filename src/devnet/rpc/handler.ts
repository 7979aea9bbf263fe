import type { Answer } from '../../kernel/nano/node-answer.ts'
import type { LedgerNode } from '../node.ts'
import type { NodeRequest } from '../../kernel/nano/node-request.ts'

/** One action of the node: reads its parameters, refuses by throwing, answers in the node's shape. */
export type Handler = (node: LedgerNode, request: NodeRequest) => Answer | Promise<Answer>

/** The old name of an action, which the node still serves with a hint. */
export function deprecated(handler: Handler): Handler {
  return async (node, request) => ({ deprecated: '1', ...((await handler(node, request)) as object) })
}
