/* What the callers of a run requested, and what they know of the result. At the end it is compared with the ledger and the store. */

/** A checkout and its payment. */
export interface AskedCheckout {
  id: string
  address: string
  amountRaw: bigint
  mode: string
  notify: boolean
  /** Hash of the block that pays it; undefined if nobody paid. */
  paidBy: string | undefined
}

/** A checkout with an early end. */
export interface AskedLapse extends AskedCheckout {
  /** By the clock of the store, which is this machine's. */
  endsAt: number
  /** When the block that pays it was on the ledger. */
  paidAt: number | undefined
  /** True if a gateway had reported the end before anybody paid. */
  wasOver: boolean
}

export interface AskedSend {
  key: string
  amountRaw: bigint
  /** The hash in the client's answer; undefined without a reliable answer. */
  hash: string | undefined
  /** True if the sender had lost the right to send before the request. */
  mustNotLeave?: boolean
}

/** A sale at the market's one address. */
export interface MarketSale {
  id: string
  way: string
  address: string
  amountRaw: bigint
  /** Sum of the customers' payments. */
  paidRaw: bigint
}

/** A customer's payment to the market. */
interface MarketPayment {
  hash: string
  to: string
  amountRaw: bigint
  /** Undefined for a wrong amount that belongs to no sale. */
  saleId: string | undefined
}

export interface AskedRefund {
  /** The key of the last request; requests with earlier keys were refused. */
  key: string
  checkoutId: string
  /** What was paid, and by whom. */
  paidRaw: bigint
  payer: string
  as: 'send' | 'link'
  /** The refund's id; undefined without an answer, or if it was refused. */
  id: string | undefined
}

/** Money that can be claimed with a code: a refund by link or an email payment. */
export interface AskedShare {
  kind: 'refund' | 'mail'
  /** Id of the refund or the email payment. */
  of: string
  amountRaw: bigint
  /** Who tries to claim it; empty if it is declined. */
  claimants: readonly string[]
  /** Who got it, by the claimant's answer. */
  claimedBy: string | undefined
  /** True if the recipient's decline was acknowledged. */
  declined: boolean
}

/** A request paid with x402. */
export interface AskedPurchase {
  body: string
  /** The block that pays it, and the header that carries it. */
  hash: string
  signature: string
  amountRaw: bigint
  /** The answer to the request. */
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
  /** Answers that report a credit spent on work. */
  workAnswers: number
  workAttempts: number
  /** Refunds of the market, and how often a role was lowered. */
  returns: number
  roleChanges: number
  reads: number
  /** Checkouts and sends whose key stayed locked by a process that died. */
  givenUp: number
  /** Payments and refunds left out because the money was spent. */
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
