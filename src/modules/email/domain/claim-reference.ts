/** The share of a recipient is this payment of the funding wallet, once and for all. */
export const claimReference = (recipientId: string) => `email-claim:${recipientId}`
