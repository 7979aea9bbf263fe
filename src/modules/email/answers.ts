import { answer } from '../../kernel/answers.ts'

/* Email payments as links and the REST interface return them. */

const { text, bool, integer, raw, nano, unix, url, address, hash, optional, orNull, list, record, words } = answer

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

const LISTED = {
  id: text,
  status: STATUS,
  address,
  refund_address: address,
  subtotal: nano,
  service_fee: nano,
  amount: nano,
  amount_raw: raw,
  recipient_count: integer,
  created_at: integer,
  fund_by: integer,
  funded_at: orNull(integer),
  expires_at: orNull(integer),
  ended_at: orNull(integer),
}

export const LISTED_EMAIL_PAYMENT = record(LISTED)

export const OWN_EMAIL_PAYMENT = record({
  ...LISTED,
  from: orNull(text),
  message: orNull(text),
  recipients: list(
    record({
      email: text,
      amount: nano,
      amount_raw: raw,
      status: SHARE,
      claim_address: orNull(address),
      sent_at: orNull(integer),
      bounced_at: orNull(integer),
      ended_at: orNull(integer),
    }),
  ),
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
