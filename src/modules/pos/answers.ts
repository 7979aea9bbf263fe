import { answer } from '../../kernel/answers.ts'

const { text, integer, list, record, orNull, bool, url, unix } = answer

const MEMBERS = {
  id: text,
  url,
  title: text,
  currency: text,
  address: answer.address,
  items: list(record({ title: text, price: text })),
  tips: list(integer),
  time_zone: text,
  paused: bool,
  pin_required: bool,
  wrong_pins: integer,
  created_unix: unix,
  updated_unix: unix,
}

export const POS = record(MEMBERS)
/** With what lets a cashier in. */
export const POS_WITH_LINK = record({ ...MEMBERS, link: url })

export const POS_DAY = record({
  date: text,
  time_zone: text,
  currency: text,
  count: integer,
  total: text,
  tips: text,
  nano: answer.nano,
  refunded: text,
  refunded_nano: answer.nano,
  sales: list(
    record({
      id: text,
      status: text,
      total: text,
      tip: text,
      nano: answer.nano,
      created_unix: unix,
      paid_unix: orNull(unix),
    }),
  ),
})
