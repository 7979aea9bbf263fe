import type { JsonObject } from '../../../kernel/shape.ts'
import type { Subscription } from './store.ts'

const toUnix = (at: number | null) => (at === null ? null : Math.floor(at / 1000))

/** A subscription in events. */
export const describeSubscription = (subscription: Subscription): JsonObject => ({
  id: subscription.id,
  payment_link: subscription.linkId,
  status: subscription.status,
  every: subscription.every,
  plan: subscription.plan,
  email: subscription.email,
  periods: subscription.periods,
  paid_until_unix: toUnix(subscription.paidUntil),
})

/** A subscription as its merchant gets it, without the link to the payer's page. */
export const showSubscription = (subscription: Subscription): JsonObject => ({
  ...describeSubscription(subscription),
  grace_days: subscription.graceDays,
  language: subscription.language,
  checkout_id: subscription.checkoutId,
  began_unix: toUnix(subscription.beganAt),
  created_unix: toUnix(subscription.createdAt),
  ended_unix: toUnix(subscription.endedAt),
})
