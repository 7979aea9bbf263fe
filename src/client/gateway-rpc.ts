import { type Connection, callAction } from './call.ts'
import type { ActionFacts } from './action-facts.ts'
import type { FindWork } from './account-chain.ts'
import { GatewayError } from './gateway-error.ts'
import { FACTS } from './generated/facts.ts'
import type { LedgerRpc } from './ledger-rpc.ts'
import { isHex } from '../kernel/nano/hex.ts'
import { workValue } from '../kernel/nano/work.ts'
import { searchWork } from './search-work.ts'

/** The ledger as a gateway reports it, in the format of the API. */
export function rpcOf(connection: Connection): LedgerRpc {
  return async (action, fields, idempotencyKey) => {
    const { safe, once } = (FACTS as Record<string, ActionFacts>)[action] ?? {}
    const facts = { ...(safe && { safe }), ...(once && { once }) }
    try {
      return (await callAction(connection, action, facts, fields, { idempotencyKey })) as Record<string, unknown>
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'ledger_refused') return error.body as Record<string, unknown>
      throw error
    }
  }
}

/** What a gateway may answer that has no work to give: it costs something, there is no more today, or no source is free. */
const ELSEWHERE = new Set([0, 401, 402, 403, 429, 502, 503, 504])

/** Work of the gateway, or of this machine where the gateway gives none. */
export function workOf(connection: Connection): FindWork {
  return async (root, threshold) => {
    const difficulty = threshold.toString(16).padStart(16, '0')
    try {
      const { work } = (await callAction(connection, 'work_generate', {}, { hash: root, difficulty })) as {
        work: string
      }
      if (isHex(work, 16) && workValue(root, work) >= threshold) return work
      return await searchWork(root, threshold)
    } catch (error) {
      const isElsewhere = error instanceof GatewayError && ELSEWHERE.has(error.status)
      // What was paid for is no reason to do it again here in silence, and neither is a spent budget.
      if (!isElsewhere || error.paid || error.code === 'budget_exceeded') throw error
      return searchWork(root, threshold)
    }
  }
}
