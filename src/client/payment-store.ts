/** A payment that was presented, and the one request that it is for. */
export interface PaymentClaim {
  /** Method and path of the request. */
  request: string
  /** Made at random for the settlement: the facilitator repeats its answer to nobody else. */
  key: string
  /** When it was settled, in milliseconds since 1970. */
  settledAt?: number | undefined
}

/**
 * Remembers payments. Processes that share one serve a repeated request wherever it arrives; a payment buys one request with or without, because
 * the facilitator settles it once.
 */
export interface PaymentStore {
  /** Keeps the claim unless the payment has one, in one atomic step, and returns the one that is kept. */
  claim(hash: string, claim: PaymentClaim): Promise<PaymentClaim>
  settled(hash: string, settledAt: number): Promise<void>
  /** The payment was refused: it is not on the ledger. */
  forget(hash: string): Promise<void>
}

/** The number of payments that are remembered. An older one is refused, as it would be by another process. */
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
