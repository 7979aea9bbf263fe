/** What a sender is told about a payment by mail. */
export type Receipt =
  | { kind: 'funded' | 'expired' | 'returned' }
  | { kind: 'claimed' | 'bounced' | 'declined'; recipientId: string }
