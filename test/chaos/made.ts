/* What the callers of a run have asked for, and what they know of it: all that is held against the ledger and the store at the end. */

/** A payment that was asked for. */
export interface AskedCheckout {
  id: string
  address: string
  amountRaw: bigint
  mode: string
  notify: boolean
  /** The block that pays it; unset where nobody has paid. */
  paidBy: string | undefined
}

/** One that ends soon. */
export interface AskedLapse extends AskedCheckout {
  /** By the clock of the store, which is that of this machine. */
  endsAt: number
  /** When the ledger had the block that pays it. */
  paidAt: number | undefined
  /** Whether a gateway had reported its end before anybody paid. */
  wasOver: boolean
}

export interface AskedSend {
  key: string
  amountRaw: bigint
  /** The hash that the client got; undefined while it got no reliable answer. */
  hash: string | undefined
  /** Whether who asked for it had lost the right to before. */
  mustNotLeave?: boolean
}

/** Something that the market has sold at its one address. */
export interface MarketSale {
  id: string
  way: string
  address: string
  amountRaw: bigint
  /** What customers have sent for it. */
  paidRaw: bigint
}

/** What a customer of the market has sent. */
interface MarketPayment {
  hash: string
  to: string
  amountRaw: bigint
  /** Unset where it was a slip, which nobody's sale asks for. */
  saleId: string | undefined
}

export interface AskedRefund {
  /** The last key it was asked with; those before it were refused. */
  key: string
  checkoutId: string
  /** What was paid, and who paid it. */
  paidRaw: bigint
  payer: string
  as: 'send' | 'link'
  /** The answer that the client got; undefined if it got none, or was refused. */
  id: string | undefined
}

/** Money that lies ready for whoever has its code: of a refund by link, or of a payment by mail. */
export interface AskedShare {
  kind: 'refund' | 'mail'
  /** The refund, or the payment by mail. */
  of: string
  amountRaw: bigint
  /** Who wants it; nobody where it is declined. */
  claimants: readonly string[]
  /** To whom it went, according to the claimant's answer. */
  claimedBy: string | undefined
  /** Whether the recipient was notified that it goes back. */
  declined: boolean
}

/** A request that was paid for by itself. */
export interface AskedPurchase {
  body: string
  /** The block that pays it, and the header that carries it. */
  hash: string
  signature: string
  amountRaw: bigint
  /** What it was answered with. */
  answer: string | undefined
}

export interface Made {
  checkouts: AskedCheckout[]
  lapses: AskedLapse[]
  sends: AskedSend[]
  refunds: AskedRefund[]
  shares: AskedShare[]
  sales: MarketSale[]
  marketPayments: MarketPayment[]
  purchases: AskedPurchase[]
  /** Credits that answers said were spent on work. */
  workAnswers: number
  workAttempts: number
  /** Refunds of the market, and how often a role was lowered. */
  returns: number
  roleChanges: number
  reads: number
  /** Checkouts and sends whose key stayed taken by a process that died. */
  givenUp: number
  /** What nobody paid or gave back because the money was spent. */
  unaffordable: number
}

export const nothingMade = (): Made => ({
  checkouts: [],
  lapses: [],
  sends: [],
  refunds: [],
  shares: [],
  sales: [],
  marketPayments: [],
  returns: 0,
  roleChanges: 0,
  purchases: [],
  workAnswers: 0,
  workAttempts: 0,
  reads: 0,
  givenUp: 0,
  unaffordable: 0,
})

export const isPaid = ({ paidBy }: Pick<AskedCheckout, 'paidBy'>): boolean => paidBy !== undefined
