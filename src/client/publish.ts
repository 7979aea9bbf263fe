import { type StateBlock, hashBlock, toBlockJson } from '../kernel/nano/block.ts'
import type { Subtype } from './account-chain.ts'
import { GatewayError } from './gateway-error.ts'
import type { LedgerRpc } from './ledger-rpc.ts'
import { backOff, rest } from './rest.ts'

const TRIES_MAX = 3

/**
 * Puts a block on the ledger and answers its hash. After a lost reply the ledger is asked before the same bytes go out
 * again; while that stays unknown the error is `publish_unknown`, and its `body` has the hash.
 */
export async function publish(rpc: LedgerRpc, block: StateBlock, subtype: Subtype): Promise<string> {
  const hash = hashBlock(block)
  const idempotencyKey = crypto.randomUUID()
  let failure: unknown
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    if (tries > 0) await rest(backOff(tries))
    try {
      const request = { json_block: 'true', subtype, block: toBlockJson(block) }
      const answer = await rpc('process', request, idempotencyKey)
      if (answer.hash === hash || (await isOnLedger(rpc, hash))) return hash
      const message = String(answer.error ?? 'The ledger refused a block.')
      throw new GatewayError(message, { code: 'ledger_refused', status: 200, body: answer })
    } catch (error) {
      if (isFinal(error)) throw error
      failure = error
    }
    try {
      if (await isOnLedger(rpc, hash)) return hash
    } catch (error) {
      failure = error
    }
  }
  const message = `Whether block ${hash} is on the ledger is not known yet. Look it up before you send again.`
  throw new GatewayError(message, { code: 'publish_unknown', body: { hash }, cause: failure })
}

/** Refused before anything left the gateway, or by the ledger itself. */
const isFinal = (error: unknown) =>
  error instanceof GatewayError && error.status >= 200 && error.status < 500 && error.status !== 409

export async function isOnLedger(rpc: LedgerRpc, hash: string): Promise<boolean> {
  const { contents, error } = await rpc('block_info', { hash, json_block: 'true' })
  if (contents === undefined && error === undefined) throw new Error('The ledger does not tell about a block.')
  return contents !== undefined
}
