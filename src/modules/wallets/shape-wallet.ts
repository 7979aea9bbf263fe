import { formatNano } from '../../kernel/money.ts'
import { type JsonObject, relativeTime } from '../../kernel/shape.ts'
import type { Wallet } from './store.ts'

/** When a wallet ends, in words and in seconds. */
export function expirationOf({ expiresAt }: Wallet, now: number): JsonObject {
  if (expiresAt === null) return {}
  return { expiration: relativeTime(expiresAt, now), expiration_unix: Math.floor(expiresAt / 1_000) }
}

/** A wallet in lists and answers (contract 2). It cannot leak the key, because a wallet object does not contain it. */
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
