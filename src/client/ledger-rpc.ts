/**
 * Sends an action to a gateway or a node. A refusal by the ledger is an answer with an `error`. The key is for requests
 * that must act only once.
 */
export type LedgerRpc = (action: string, fields: object, idempotencyKey?: string) => Promise<Record<string, unknown>>

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>

/** The ledger at the URL of a gateway or a node. */
export function rpcAt(url: string, fetch: Fetch = (input, init) => globalThis.fetch(input, init)): LedgerRpc {
  return async (action, fields) => {
    try {
      const body = JSON.stringify({ action, ...fields })
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      return (await response.json()) as Record<string, unknown>
    } catch (error) {
      throw new Error(`No ledger answers at ${url}. Is it running?`, { cause: error })
    }
  }
}
