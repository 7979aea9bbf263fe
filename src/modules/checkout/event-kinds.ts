/** Every type of checkout event and when it happens. The type, its reader, the reference and the contract check are generated from this. */
export const EVENT_KINDS = {
  'payment.completed': 'the checkout became `complete`',
  'payment.detected': 'a matching block was seen, unconfirmed',
  'payment.partial': 'confirmed funds arrived, but not enough',
  'payment.late': 'a payment arrived after the checkout ended or was paid',
  'checkout.expired': 'the checkout expired',
  'refund.sent': 'a refund is confirmed, or its link is ready',
  'refund.failed': 'a refund failed and can be requested again',
  'refund.claimed': 'the payer has claimed a refund through its link',
  'subscription.renewed': 'a period of a subscription was paid, including the first',
  'subscription.due': 'a subscription ends soon and its payer is reminded',
  'subscription.lapsed': 'a subscription ended and was not paid again',
} as const

export type EventKind = keyof typeof EVENT_KINDS

/** Sent whether or not the checkout asks for it. */
export const ALWAYS_SENT: EventKind = 'payment.completed'

const KINDS = Object.keys(EVENT_KINDS) as EventKind[]

export const isEventKind = (text: string): text is EventKind => Object.hasOwn(EVENT_KINDS, text)
export const OPTIONAL_KINDS = KINDS.filter((kind) => kind !== ALWAYS_SENT)
