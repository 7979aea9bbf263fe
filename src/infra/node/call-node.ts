import { request } from 'undici'
import type { NodeAnswer } from '../../kernel/ports.ts'

/** One call to one node, for tools; the gateway itself goes through its pool. */
export async function callNode(url: string, body: Record<string, unknown>): Promise<NodeAnswer> {
  try {
    const response = await request(url, { method: 'POST', body: JSON.stringify(body) })
    return (await response.body.json()) as NodeAnswer
  } catch (error) {
    throw new Error(`No ledger answers at ${url}. Is it running?`, { cause: error })
  }
}
