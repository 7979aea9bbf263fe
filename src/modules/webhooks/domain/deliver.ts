import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { OutboundFailure } from '../../../kernel/outbound-failure.ts'
import type { Outbound, SecretBox } from '../../../kernel/ports.ts'
import {
  type DeliveryChange,
  type DueDelivery,
  disableWebhook,
  enableWebhook,
  findDue,
  insertAttempt,
  isDisabled,
  markAttempted,
  markDueAt,
  markSending,
} from '../deliveries-store.ts'
import { markEventDelivered } from '../store.ts'
import type { HostConcurrency } from './host-concurrency.ts'
import { readRetryAfter, waitAfter } from './schedule.ts'
import { signBody } from './sign-body.ts'
import { findSigningSecrets } from './signing-secrets.ts'
import { enqueueDelivery } from './wake-delivery.ts'

/** The kind of an event that only tests an address. */
export const PING = 'ping'
const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'User-Agent': 'nano-gateway-webhooks/1',
}

export interface AttemptEvent {
  eventId: string
  deliveryId: string
  attempt: number
  outcome: 'delivered' | 'retrying' | 'dead'
  status: number | null
  code: string | null
  milliseconds: number
}

export interface DeliveryCtx extends StoreCtx {
  secrets: SecretBox
  outbound: Outbound
  slots: HostConcurrency
  onAttempt(event: AttemptEvent): void
}

/** What came of an attempt, before anybody decides what follows. */
interface Result {
  status: number | null
  error: string | null
  response: string
  milliseconds: number
  retryAfter?: string | undefined
}

/**
 * Tries a delivery once, when it is due. A crash before the outcome is written leads to the same attempt again: the
 * receiver may see an event twice, and never not at all.
 */
export async function deliver(ctx: DeliveryCtx, deliveryId: string): Promise<void> {
  const { db, clock, slots } = ctx
  const due = await findDue(db, deliveryId, clock.now())
  if (!due) return
  if (!isByHand(due) && (await isDisabled(db, webhookOf(due)))) {
    return settle(ctx, due, failure('url_disabled'), 'dead')
  }
  const place = slots.enter(new URL(due.url).hostname, { now: clock.now(), isStranger: due.accountId === null })
  if ('comeBackAt' in place) return putOff(ctx, due, place.comeBackAt)
  try {
    if (!(await markSending(db, due))) return
    const result = await send(ctx, due)
    await settle(ctx, due, result, judge(due, result))
  } finally {
    place.leave()
  }
}

async function send(ctx: DeliveryCtx, due: DueDelivery): Promise<Result> {
  const { clock, outbound, failures } = ctx
  const { eventId, body, url } = due
  if (body === null) return failure('body_forgotten')
  const secrets = await findSigningSecrets(ctx, due).catch(failures.failed('webhooks.secret', { eventId }))
  // The key has changed since it was sealed: an operator must act, and the schedule leaves time for it.
  if (!secrets) return failure('secret_unreadable')
  const startedAt = clock.now()
  const signature = signBody({ id: eventId, timestamp: Math.floor(startedAt / 1000), body, secrets })
  try {
    const reply = await outbound.post(url, { headers: { ...HEADERS, ...signature }, body })
    const { status, text, milliseconds, retryAfter } = reply
    return { status, error: describe(status), response: text.replaceAll('\0', ''), milliseconds, retryAfter }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    return { ...failure(error.code), milliseconds: clock.now() - startedAt }
  }
}

const failure = (error: string): Result => ({ status: null, error, response: '', milliseconds: 0 })

function describe(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return 'redirected'
  return status === 410 ? 'gone' : 'bad_status'
}

function judge({ type }: DueDelivery, { error }: Result): AttemptEvent['outcome'] {
  if (error === null) return 'delivered'
  // Who tests an address looks at what came of it; nobody waits for it tomorrow.
  return error === 'gone' || error === 'body_forgotten' || type === PING ? 'dead' : 'retrying'
}

/** Writes what came of an attempt, and what follows from it, in one transaction. */
async function settle(
  ctx: DeliveryCtx,
  due: DueDelivery,
  { retryAfter, ...result }: Result,
  wanted: AttemptEvent['outcome'],
): Promise<void> {
  const { id, eventId, attemptsMade } = due
  const now = ctx.clock.now()
  const attempt = attemptsMade + 1
  const wait = wanted === 'retrying' ? waitAfter(attempt, waitOf(ctx, retryAfter)) : undefined
  const outcome = wanted === 'retrying' && wait === undefined ? 'dead' : wanted
  const change: DeliveryChange =
    wait === undefined
      ? { state: outcome, nextAt: null, finishedAt: now }
      : { state: outcome, nextAt: now + wait, finishedAt: null }
  const won = await inTx(ctx, async (tx) => {
    if (!(await markAttempted(tx.db, due, change))) return false
    await insertAttempt(tx.db, id, { attempt, at: now, ...result })
    if (change.nextAt !== null) await enqueueDelivery(tx, id, change.nextAt)
    if (outcome === 'delivered') {
      await markEventDelivered(tx.db, eventId, now)
      if (isByHand(due)) await enableWebhook(tx.db, webhookOf(due))
    }
    if (result.error === 'gone') await disableWebhook(tx.db, webhookOf(due), now)
    return true
  })
  const { status, error: code, milliseconds } = result
  if (won) ctx.onAttempt({ eventId, deliveryId: id, attempt, outcome, status, code, milliseconds })
}

function waitOf({ clock, random }: DeliveryCtx, retryAfter: string | undefined) {
  const chance = Buffer.from(random.bytes(4)).readUInt32LE() / 2 ** 32
  return { chance, retryAfter: readRetryAfter(retryAfter, clock.now()) }
}

/** Its host is busy with others of ours. That is no attempt. */
async function putOff(ctx: DeliveryCtx, due: DueDelivery, at: number): Promise<void> {
  await inTx(ctx, async (tx) => {
    if (await markDueAt(tx.db, due, at)) await enqueueDelivery(tx, due.id, at)
  })
}

/** Whoever sends again, or tests an address, may know that it is back: a disabled one is tried and, if so, enabled. */
const isByHand = ({ cause, type }: DueDelivery) => cause === 'redelivery' || type === PING

/** Without an account the address belongs to the checkout alone: strangers share no settings. */
const webhookOf = ({ accountId, subject, url }: DueDelivery) => ({ owner: accountId ?? subject, url })
