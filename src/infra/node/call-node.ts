import { request } from 'undici'
import type { NodeAnswer } from '../../kernel/ports.ts'

/** Calls one node, for commands; the gateway itself uses its pool of nodes. */
export async function callNode(url: string, body: Record<string, unknown>): Promise<NodeAnswer> {
  try {
    const response = await request(url, { method: 'POST', body: JSON.stringify(body) })
    return (await response.body.json()) as NodeAnswer
  } catch (error) {
    throw new Error(`No ledger answers at ${url}. Is it running?`, { cause: error })
  }
}
