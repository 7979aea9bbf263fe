import { formatNano } from '../../kernel/money.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import type { FaucetClaim } from './store.ts'

/** A claim as the contract shows it; without a hash it is promised and not sent yet. */
export function showClaim(claim: FaucetClaim, hash: string | null): JsonObject {
  return {
    id: claim.id,
    nano_address: claim.address,
    amount: formatNano(claim.amount),
    amount_raw: claim.amount.toString(),
    status: hash === null ? 'queued' : 'sent',
    tx_hash: hash,
    created_at: claim.createdAt,
  }
}
