import { answer } from '../../kernel/answers.ts'
import { nano as nanoOf, raw as rawOf, view } from '../../kernel/view.ts'
import type { Recipient } from './recipients-store.ts'
import type { EmailPayment } from './store.ts'

/* Email payments as links and the REST interface return them. */

const { text, bool, integer, raw, nano, unix, url, address, hash, optional, orNull, list, record, words } = answer

/** With a masked address. */
export type ShownRecipient = Omit<Recipient, 'email' | 'emailHash'> & { shownEmail: string }

const STATUS = words('waiting', 'funded', 'completed', 'expired')
const SHARE = words('queued', 'sent', 'claimed', 'refunded')

/** The status of the funding, for anyone who knows the id. */
export const EMAIL_CHECK = record({
  id: text,
  status: STATUS,
  success: bool,
  address,
  amount: nano,
  amount_raw: raw,
  amount_paid: nano,
  amount_paid_raw: raw,
  amount_due_raw: raw,
  expires_unix: unix,
  json: url,
  browser: url,
  block: optional(record({ hash, account: address, amount: nano, amount_raw: raw })),
  message: optional(text),
  recipients: optional(record({ queued: integer, sent: integer, claimed: integer, refunded: integer })),
  expired: optional(bool),
  error: optional(text),
})

/** An entry of a list. */
export const listedPayment = view<EmailPayment>()({
  id: text,
  status: STATUS,
  address,
  refund_address: address,
  subtotal: nanoOf('subtotal'),
  service_fee: nanoOf('fee'),
  amount: nanoOf('total'),
  amount_raw: rawOf('total'),
  recipient_count: [integer, ({ recipients }) => recipients],
  created_at: integer,
  fund_by: integer,
  funded_at: orNull(integer),
  expires_at: orNull(integer),
  ended_at: orNull(integer),
})

const recipient = view<ShownRecipient>()({
  email: [text, ({ shownEmail }) => shownEmail],
  amount: nanoOf('amount'),
  amount_raw: rawOf('amount'),
  status: SHARE,
  claim_address: orNull(address),
  sent_at: orNull(integer),
  bounced_at: orNull(integer),
  ended_at: orNull(integer),
})

/** A payment as its sender gets it. */
export const ownPayment = view<EmailPayment, readonly ShownRecipient[]>()({
  ...listedPayment.members,
  from: [orNull(text), ({ sender }) => sender],
  message: orNull(text),
  recipients: [list(recipient.schema), (_payment, recipients) => recipients.map(recipient.show)],
})

/** A share as the holder of its code gets it. */
export const CLAIMED_SHARE = record({
  id: text,
  status: SHARE,
  amount_raw: raw,
  from: orNull(text),
  from_verified: bool,
  message: orNull(text),
  expires_unix: unix,
  hash: optional(hash),
  block: optional(text),
})
