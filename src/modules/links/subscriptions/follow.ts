import { type Actor, actorOf } from '../../../kernel/actor.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import { findAccount, insertAudit } from '../../accounts/index.ts'
import { type Checkout, type CheckoutContext, announce, findCheckout } from '../../checkout/index.ts'
import { subscriptionNotFound } from '../errors.ts'
import { endOfPeriod, leadOf } from './periods.ts'
import { describedSubscription } from './shape.ts'
import {
  type Subscription,
  deletePending,
  findSubscription,
  lockSubscription,
  markSubscription,
  postponeSubscription,
} from './store.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** How long the subscriber's address is kept after the end: the payer may come back through the link in the mail. */
const REMEMBERED = 30 * DAY

/** Name of the job that mails about a subscription. */
export const MAIL_SUBSCRIPTION = 'links.mail-subscription'

export interface SubscriptionMail {
  id: string
  about: 'due' | 'lapsed'
  /** The period it is about; a later payment makes the mail unnecessary. */
  periods: number
}

/**
 * Records a payment of a subscription, in the transaction of the payment. An early or second payment extends the paid time; only a lapsed
 * subscription starts again from now, because a time without service is not paid for.
 */
export async function renewSubscription(tx: CheckoutContext, id: string, checkout: Checkout): Promise<void> {
  const held = await lockSubscription(tx.db, id)
  if (!held) return
  const now = tx.clock.now()
  const isRunning = held.status === 'active' || held.status === 'due'
  const goesOn = held.beganAt !== null && (isRunning || (held.status === 'ended' && held.paidUntil! > now))
  const beganAt = goesOn ? held.beganAt! : now
  // The number of payments also identifies the state: it grows with every payment and never restarts.
  const periods = held.periods + 1
  const since = goesOn ? periodsSince(held) + 1 : 1
  const paidUntil = endOfPeriod(beganAt, held.every, since)
  const renewed = await markSubscription(tx.db, held, {
    // A subscriber who has ended it gets the time they paid for, but no further reminders.
    status: held.status === 'ended' ? 'ended' : 'active',
    dueAt: held.status === 'ended' ? now + REMEMBERED : paidUntil - leadOf(beganAt, held.every, since),
    beganAt,
    periods,
    paidUntil,
    checkoutId: checkout.id,
  })
  if (!renewed) throw new Error(`Subscription ${id} changed while it was held.`)
  await announce(tx, checkout, {
    type: 'subscription.renewed',
    dedupeKey: `${id} ${periods}`,
    subscription: describedSubscription.show(renewed),
  })
}

/** The number of periods between its beginning and the end of the paid time. */
function periodsSince({ beganAt, every, paidUntil }: Subscription): number {
  let count = 0
  while (endOfPeriod(beganAt!, every, count) < paidUntil!) count++
  return count
}

/** Moves a subscription on with time: due, lapsed, forgotten. Change, event and mail are one transaction. */
export async function followSubscription(ctx: CheckoutContext, id: string): Promise<void> {
  const now = ctx.clock.now()
  const seen = await findSubscription(ctx.db, id)
  if (!seen) return
  // Links of a suspended account take no payments, so its subscribers get no reminders and do not lapse.
  const account = await findAccount(ctx.db, seen.owner)
  if ((seen.status === 'active' || seen.status === 'due') && account?.standing.suspendedAt !== null) {
    await postponeSubscription(ctx.db, id, now + HOUR)
    return
  }
  await inTx(ctx, async (tx) => {
    const held = await lockSubscription(tx.db, id)
    // Another process was first.
    if (!held || held.status !== seen.status || held.periods !== seen.periods) return
    if (held.status === 'pending') return deletePending(tx.db, id)
    if (held.status === 'active') return becomeDue(tx, held)
    if (held.status === 'due') return lapse(tx, held)
    await markSubscription(tx.db, held, { status: 'ended', dueAt: null, forgets: true })
  })
}

async function becomeDue(tx: CheckoutContext, held: Subscription): Promise<void> {
  const now = tx.clock.now()
  const lead = leadOf(held.beganAt!, held.every, periodsSince(held))
  // A late reminder must not shorten the time to pay.
  const end = Math.max(held.paidUntil! + held.graceDays * DAY, now + lead)
  await move(tx, held, 'due', end)
}

const lapse = (tx: CheckoutContext, held: Subscription) => move(tx, held, 'lapsed', tx.clock.now() + REMEMBERED)

async function move(tx: CheckoutContext, held: Subscription, status: 'due' | 'lapsed', dueAt: number): Promise<void> {
  const moved = await markSubscription(tx.db, held, { status, dueAt })
  if (!moved) return
  const checkout = await findCheckout(tx.db, moved.checkoutId!)
  const dedupeKey = `${moved.id} ${moved.periods}`
  if (checkout)
    await announce(tx, checkout, {
      type: `subscription.${status}`,
      dedupeKey,
      subscription: describedSubscription.show(moved),
    })
  const payload: SubscriptionMail = { id: moved.id, about: status, periods: moved.periods }
  await enqueue(tx, { kind: MAIL_SUBSCRIPTION, payload, key: `${dedupeKey} ${status}` })
}

interface Ending {
  id: string
  /** The merchant; undefined where the payer ends it by the link in a mail. */
  by?: { owner: string; linkId?: string; actor: Actor }
}

/** Ends a subscription: no further reminders. The paid time stays valid. */
export async function endSubscription(ctx: CheckoutContext, { id, by }: Ending): Promise<Subscription> {
  return inTx(ctx, async (tx) => {
    const held = await lockSubscription(tx.db, id, by)
    if (!held || held.status === 'pending') throw subscriptionNotFound()
    if (held.status === 'ended') return held
    const now = tx.clock.now()
    const ended = await markSubscription(tx.db, held, { status: 'ended', dueAt: now + REMEMBERED, endedAt: now })
    const actor = by?.actor ?? actorOf.payer()
    await insertAudit(tx, { actor, accountId: held.owner, what: 'subscription.ended', detail: { id } })
    return ended!
  })
}
