import { answer } from '../../kernel/answers.ts'

const { text, integer, list, record, orNull, optional, bool, url, unix, words } = answer

const PLAN = record({ title: text, value: text, discount: answer.oneOf(answer.number, bool) })

export const LINK = record({
  id: text,
  slug: text,
  url,
  status: words('active', 'paused', 'sold_out', 'ended'),
  sold: integer,
  held: integer,
  left: orNull(integer),
  orders: integer,
  revenue: answer.nano,
  revenue_raw: answer.raw,
  revenue_fiat: orNull(text),
  paused: bool,
  address: answer.address,
  currency: text,
  mode: words('unique_amount', 'generated_wallet'),
  amount: orNull(text),
  plans: list(PLAN),
  title: optional(text),
  description: optional(text),
  image: optional(text),
  success_url: optional(text),
  cancel_url: optional(text),
  webhook_url: optional(text),
  notify: optional(text),
  note: optional(text),
  expire: optional(text),
  metadata: answer.object,
  webhook_events: list(text),
  webhook_secret_set: bool,
  quantity: record({ min: integer, max: integer }),
  suggested: list(text),
  sold_max: orNull(integer),
  ends_unix: orNull(unix),
  every: orNull(text),
  grace_days: integer,
  invoice: orNull(
    record({
      buyer: words('optional', 'required'),
      seller: orNull(text),
      tax: list(record({ title: text, amount: text })),
    }),
  ),
  created_unix: unix,
  updated_unix: unix,
})
