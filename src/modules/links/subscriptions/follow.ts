import { type Actor, actorOf } from '../../../kernel/actor.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import { findAccount, insertAudit } from '../../accounts/index.ts'
import { type Checkout, type CheckoutRoom, announce, findCheckout } from '../../checkout/index.ts'
import { subscriptionNotFound } from '../errors.ts'
import { endOfPeriod, leadOf } from './periods.ts'
import { tellSubscription } from './shape.ts'
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
/** How long the address of one that is over is kept: its payer may come back by the link in the mail. */
const REMEMBERED = 30 * DAY

/** The queue's word for a mail about a subscription. */
export const MAIL_SUBSCRIPTION = 'links.mail-subscription'

export interface SubscriptionMail {
  id: string
  about: 'due' | 'lapsed'
  /** Which period it is about: a payment in between makes the mail needless. */
  periods: number
}

/**
 * A checkout of a subscription was paid, in the transaction that says so. What was paid early or twice goes on from the end of
 * what was paid before; only what had lapsed begins anew, because nobody pays for a time in which they had nothing.
 */
export async function renewSubscription(tx: CheckoutRoom, id: string, checkout: Checkout): Promise<void> {
  const held = await lockSubscription(tx.db, id)
  if (!held) return
  const now = tx.clock.now()
  const isRunning = held.status === 'active' || held.status === 'due'
  const goesOn = held.beganAt !== null && (isRunning || (held.status === 'ended' && held.paidUntil! > now))
  const beganAt = goesOn ? held.beganAt! : now
  // How many were paid is also which state is meant: it grows with every payment, and never begins again.
  const periods = held.periods + 1
  const since = goesOn ? periodsSince(held) + 1 : 1
  const paidUntil = endOfPeriod(beganAt, held.every, since)
  const renewed = await markSubscription(tx.db, held, {
    // Whoever has ended it has paid for this time all the same, and is not reminded again.
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
    subscription: tellSubscription(renewed),
  })
}

/** How many periods lie between its beginning and the end of what is paid. */
function periodsSince({ beganAt, every, paidUntil }: Subscription): number {
  let count = 0
  while (endOfPeriod(beganAt!, every, count) < paidUntil!) count++
  return count
}

/** What the clock does to one of them: due, lapsed, forgotten. Each change is made, told and mailed in one transaction. */
export async function followSubscription(ctx: CheckoutRoom, id: string): Promise<void> {
  const now = ctx.clock.now()
  const seen = await findSubscription(ctx.db, id)
  if (!seen) return
  // Links of a suspended account take no payments: nobody is reminded of what they cannot do, and nobody loses anything by it.
  const account = await findAccount(ctx.db, seen.owner)
  if ((seen.status === 'active' || seen.status === 'due') && account?.standing.suspendedAt !== null) {
    await postponeSubscription(ctx.db, id, now + HOUR)
    return
  }
  await inTx(ctx, async (tx) => {
    const held = await lockSubscription(tx.db, id)
    // Somebody was first.
    if (!held || held.status !== seen.status || held.periods !== seen.periods) return
    if (held.status === 'pending') return deletePending(tx.db, id)
    if (held.status === 'active') return becomeDue(tx, held)
    if (held.status === 'due') return lapse(tx, held)
    await markSubscription(tx.db, held, { status: 'ended', dueAt: null, forgets: true })
  })
}

async function becomeDue(tx: CheckoutRoom, held: Subscription): Promise<void> {
  const now = tx.clock.now()
  const lead = leadOf(held.beganAt!, held.every, periodsSince(held))
  // However late the reminder is, whoever gets it has as long as others.
  const end = Math.max(held.paidUntil! + held.graceDays * DAY, now + lead)
  await move(tx, held, 'due', end)
}

const lapse = (tx: CheckoutRoom, held: Subscription) => move(tx, held, 'lapsed', tx.clock.now() + REMEMBERED)

async function move(tx: CheckoutRoom, held: Subscription, status: 'due' | 'lapsed', dueAt: number): Promise<void> {
  const moved = await markSubscription(tx.db, held, { status, dueAt })
  if (!moved) return
  const checkout = await findCheckout(tx.db, moved.checkoutId!)
  const dedupeKey = `${moved.id} ${moved.periods}`
  if (checkout)
    await announce(tx, checkout, { type: `subscription.${status}`, dedupeKey, subscription: tellSubscription(moved) })
  const payload: SubscriptionMail = { id: moved.id, about: status, periods: moved.periods }
  await enqueue(tx, { kind: MAIL_SUBSCRIPTION, payload, key: `${dedupeKey} ${status}` })
}

interface Ending {
  id: string
  /** Its merchant; undefined where the payer does it by their link. */
  by?: { owner: string; linkId?: string; actor: Actor }
}

/** Ends one: nobody is reminded again. What was paid stays paid until its end. */
export async function endSubscription(ctx: CheckoutRoom, { id, by }: Ending): Promise<Subscription> {
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
