import { LedgerRefusal } from './errors.ts'
import type { NodeAnswer, NodeParams, NodePort } from './ports.ts'

/** Reads from the ledger where a refusal is not an error: an account without blocks is simply empty. */
export async function readOrEmpty(node: NodePort, action: string, params: NodeParams): Promise<NodeAnswer> {
  try {
    return await node.read(action, params)
  } catch (error) {
    if (error instanceof LedgerRefusal) return {}
    throw error
  }
}
