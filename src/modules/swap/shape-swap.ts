import type { JsonObject } from '../../kernel/shape.ts'
import type { Swap } from './store.ts'

/** A swap as the contract shows it: what is sent as a number, what comes back as text with its currency. */
export function shapeSwap(swap: Swap): JsonObject {
  return {
    id: swap.id,
    send: Number(swap.amount),
    receive: `${swap.receive} ${swap.to.toUpperCase()}`,
    swap_address: swap.depositAddress,
    refund_address: swap.refundAddress,
    status: swap.status,
    source: swap.provider,
    expires_unix: Math.floor(swap.expiresAt / 1000),
  }
}
