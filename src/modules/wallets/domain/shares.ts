import { type Raw, toRaw } from '../../../kernel/money.ts'

interface Share {
  destination: string
  amount: Raw
}

/**
 * Equal shares, with the remainder on the last; a total too small for one raw each goes to the last alone.
 * The shares always add up to exactly the total.
 */
export function splitShares(total: Raw, destinations: readonly string[]): Share[] {
  const count = BigInt(destinations.length)
  if (count === 0n) return []
  const each = total / count
  return destinations
    .map((destination, at) => ({
      destination,
      amount: toRaw(at < destinations.length - 1 ? each : total - each * (count - 1n)),
    }))
    .filter(({ amount }) => amount > 0n)
}

/** The refund addresses as a list, in whichever form they were given. */
export function toList(refundAddress: string | readonly string[] | null): readonly string[] {
  if (refundAddress === null) return []
  return typeof refundAddress === 'string' ? [refundAddress] : refundAddress
}
