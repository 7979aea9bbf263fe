/** The state of an exchange of currencies; the last four are final. */
export type SwapStatus =
  | 'waiting'
  | 'confirming'
  | 'exchanging'
  | 'sending'
  | 'finished'
  | 'failed'
  | 'refunded'
  | 'expired'

export interface SwapRequest {
  id: string
  /** Codes in lower case; nano is `nano`. */
  from: string
  to: string
  /** Decimal text in the currency sent. */
  amount: string
  address: string
  refundAddress: string
  /** Until when the provider waits for the deposit. */
  expiresAt: number
}

/** An exchange as far as its provider needs to know it. */
export interface FollowedSwap extends SwapRequest {
  reference: string
  receive: string
  status: SwapStatus
}

/** A service that exchanges currencies. */
export interface SwapProvider {
  readonly name: string
  /** Codes in lower case. */
  currencies(): Promise<readonly string[]>
  /** Opens an exchange: returns where to send the deposit and how much will come back. */
  open(request: SwapRequest): Promise<{ reference: string; depositAddress: string; receive: string }>
  /** The current state of an exchange. It may act; called twice, it acts once. */
  follow(swap: FollowedSwap): Promise<SwapStatus>
}
