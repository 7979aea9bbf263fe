/** Where an exchange of currencies stands; the last four are final. */
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
  /** Until when the deposit is waited for. */
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
  /** Agrees on an exchange: where to send to and how much will come back. */
  open(request: SwapRequest): Promise<{ reference: string; depositAddress: string; receive: string }>
  /** Where an exchange stands now. May act; asked twice, it acts once. */
  follow(swap: FollowedSwap): Promise<SwapStatus>
}
