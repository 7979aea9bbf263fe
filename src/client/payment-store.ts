/** A payment that a client has presented, and the one request that it pays for. */
export interface PaymentClaim {
  /** Method and path of the request. */
  request: string
  /** A random key for the settlement; the facilitator repeats its answer only to somebody who knows it. */
  key: string
  /** When it was settled, in milliseconds since 1970. */
  settledAt?: number | undefined
}

/**
 * Remembers payments. Processes that share one store can serve a repeated request anywhere. A payment never buys two
 * requests, with or without a shared store, because the facilitator settles it once.
 */
export interface PaymentStore {
  /** Stores the claim unless the payment already has one, atomically, and returns the stored one. */
  claim(hash: string, claim: PaymentClaim): Promise<PaymentClaim>
  settled(hash: string, settledAt: number): Promise<void>
  /** Forgets a payment that was refused: it is not on the ledger. */
  forget(hash: string): Promise<void>
}

/** Most payments that are remembered. A request with an older one is refused, as another process would refuse it. */
const REMEMBERED_MAX = 10_000

/** Remembers payments in the memory of this process. */
export class MemoryPayments implements PaymentStore {
  readonly #claims = new Map<string, PaymentClaim>()

  async claim(hash: string, claim: PaymentClaim): Promise<PaymentClaim> {
    const known = this.#claims.get(hash)
    if (known) return known
    this.#claims.set(hash, claim)
    const oldest = this.#claims.keys().next().value
    if (this.#claims.size > REMEMBERED_MAX && oldest !== undefined) this.#claims.delete(oldest)
    return claim
  }

  async settled(hash: string, settledAt: number): Promise<void> {
    const claim = this.#claims.get(hash)
    if (claim) this.#claims.set(hash, { ...claim, settledAt })
  }

  async forget(hash: string): Promise<void> {
    this.#claims.delete(hash)
  }
}
