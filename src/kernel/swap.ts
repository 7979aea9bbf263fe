/** The state of a swap; the last four are final. */
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
  /** Decimal text in the currency that is sent. */
  amount: string
  address: string
  refundAddress: string
  /** Until when the provider waits for the deposit. */
  expiresAt: number
}

/** What a provider needs to know about a swap. */
export interface FollowedSwap extends SwapRequest {
  reference: string
  receive: string
  status: SwapStatus
}

export interface SwapProvider {
  readonly name: string
  /** Codes in lower case. */
  currencies(): Promise<readonly string[]>
  /** Opens a swap: returns where to send the deposit, and how much is paid out. */
  open(request: SwapRequest): Promise<{ reference: string; depositAddress: string; receive: string }>
  /** The current state of a swap. It may act on it; called twice, it acts once. */
  follow(swap: FollowedSwap): Promise<SwapStatus>
}
