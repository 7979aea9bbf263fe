import { formatNano } from '../../kernel/money.ts'
import { type JsonObject, relativeTime } from '../../kernel/shape.ts'
import type { Wallet } from './store.ts'

/** When a wallet ends, in words and in seconds. */
export function expirationOf({ expiresAt }: Wallet, now: number): JsonObject {
  if (expiresAt === null) return {}
  return { expiration: relativeTime(expiresAt, now), expiration_unix: Math.floor(expiresAt / 1_000) }
}

/** A wallet as lists and answers show it (contract 2). Nothing of its key can come along: a wallet does not have it. */
export function shapeWallet(wallet: Wallet, now: number): JsonObject {
  const { address, balance, refundAddress, metadata, status } = wallet
  return {
    address,
    balance: balance.toString(),
    balance_nano: formatNano(balance),
    refund_address: refundAddress ?? [],
    ...expirationOf(wallet, now),
    ...(metadata !== null && { metadata }),
    status,
  }
}
