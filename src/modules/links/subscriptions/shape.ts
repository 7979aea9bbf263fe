import { answer } from '../../../kernel/answers.ts'
import { unix, unixOrNull, view } from '../../../kernel/view.ts'
import { SHOWN_STATUSES, type Subscription } from './store.ts'

const { text, integer, orNull, words } = answer

/** A subscription in events. */
export const describedSubscription = view<Subscription>()({
  id: text,
  payment_link: [text, ({ linkId }) => linkId],
  status: words(...SHOWN_STATUSES),
  every: text,
  plan: orNull(text),
  email: orNull(text),
  periods: integer,
  paid_until_unix: unixOrNull('paidUntil'),
})

/** A subscription as its merchant gets it, without the link to the payer's page. */
export const subscription = view<Subscription>()({
  ...describedSubscription.members,
  grace_days: integer,
  language: text,
  checkout_id: orNull(text),
  began_unix: unixOrNull('beganAt'),
  created_unix: unix('createdAt'),
  ended_unix: unixOrNull('endedAt'),
})
