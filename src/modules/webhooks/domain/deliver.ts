import { Gathered } from '../../../kernel/gathered.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { OutboundFailure } from '../../../kernel/outbound-failure.ts'
import { type SecretBox } from '../../../kernel/ports.ts'
import { type Outbound } from '../../../kernel/outbound.ts'
import { asStep } from '../../../kernel/traces.ts'
import {
  type AttemptRecord,
  disableWebhook,
  enableWebhook,
  insertAttempts,
  markAttempted,
  markDelivered,
  markDueAt,
  markSending,
} from '../deliveries-store.ts'
import { type DueDelivery, listDue } from '../due-store.ts'
import { noteOutcomes } from '../endpoints/failing.ts'
import { PING, markEventsDelivered } from '../store.ts'
import type { HostConcurrency } from './host-concurrency.ts'
import { signBody } from './sign-body.ts'
import { type DeliverPayload, enqueueDelivery } from './wake-delivery.ts'
import { openEndpointSecret } from '../endpoints/sealed.ts'
import { eventSecretContext } from '../tables.ts'
import { type OpenedSecret, type SecretCtx, accountSecret, openAccountSecret } from './account-secret.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** The wait after the first, second … failed attempt (contract 6). */
const STEPS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
  24 * HOUR,
]
const JITTER = 0.2

/**
 * How long to wait after so many failed attempts; undefined after the last one. A receiver may ask for a longer wait, up to twice as long.
 * `chance` is between 0 and 1.
 */
export function waitAfter(
  attempts: number,
  { chance, retryAfter }: { chance: number; retryAfter: number | undefined },
): number | undefined {
  const step = STEPS[attempts - 1]
  if (step === undefined) return undefined
  if (retryAfter !== undefined) return Math.min(Math.max(retryAfter, step), 2 * step)
  return Math.round(step * (1 - JITTER + 2 * JITTER * chance))
}

/** The milliseconds that a `Retry-After` header asks for, given as seconds or a date. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'User-Agent': 'nano-gateway-webhooks/1',
}

type Outcome = 'delivered' | 'retrying' | 'dead'

export interface AttemptEvent {
  eventId: string
  deliveryId: string
  attempt: number
  /** Outcomes that must not alert anyone: a failed test, and a delivery that the endpoint's owner stopped. */
  outcome: Outcome | 'test_failed' | 'stopped'
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

/** The result of an attempt, before it is decided what follows. */
interface Result {
  status: number | null
  error: string | null
  response: string
  milliseconds: number
  retryAfter?: string | undefined
  /** The headers that were sent. */
  headers: string | null
}

/** A finished attempt, and what becomes of its delivery. */
interface Settlement {
  due: DueDelivery
  attempt: AttemptRecord
  outcome: Outcome
  /** When the next attempt is due; null when there is none. */
  nextAt: number | null
  /** The trace to which the next attempt belongs. */
  trace: string | undefined
}

/** Gathers deliveries that are made in parallel, so that many of them are read, started or settled together. */
export interface DeliveryBatches extends DeliveryCtx {
  due: Gathered<string, DueDelivery | undefined>
  sending: Gathered<DueDelivery, boolean>
  settled: Gathered<Settlement, boolean>
}

const AT_ONCE = 128

export function openBatches(ctx: DeliveryCtx): DeliveryBatches {
  const { db } = ctx
  return {
    ...ctx,
    due: new Gathered(async (ids) => {
      const due = await listDue(db, ids)
      return ids.map((id) => due.get(id))
    }, AT_ONCE),
    sending: new Gathered(async (due) => {
      const won = await markSending(db, due)
      return due.map(({ id }) => won.has(id))
    }, AT_ONCE),
    // One transaction settles many deliveries, so its statements must not appear in the trace of any one of them.
    settled: new Gathered((settlements) => settleAll({ ...ctx, traces: undefined }, settlements), AT_ONCE),
  }
}

/**
 * Attempts a delivery once, when it is due. A crash before the result is stored leads to the same attempt again: the receiver may get an
 * event twice, but never misses it.
 */
export async function deliver(batches: DeliveryBatches, { deliveryId, dueAt = 0 }: DeliverPayload): Promise<void> {
  const { clock, slots } = batches
  const due = await batches.due.ask(deliveryId)
  if (!due || due.nextAt > Math.max(clock.now(), dueAt)) return
  if (due.url === undefined) return settle(batches, due, failure('endpoint_deleted'), 'dead')
  if (!isByHand(due) && due.isDisabled) {
    return settle(batches, due, failure(due.endpoint ? 'endpoint_disabled' : 'url_disabled'), 'dead')
  }
  const place = slots.enter(new URL(due.url).hostname, {
    now: clock.now(),
    accountId: due.accountId,
    isEndpoint: due.endpointId !== null,
  })
  if ('comeBackAt' in place) return putOff(batches, due, place.comeBackAt)
  try {
    if (!(await batches.sending.ask(due))) return
    const result = await attempt(batches, due, due.url)
    await settle(batches, due, result, judge(due, result))
  } finally {
    place.leave()
  }
}

/** Receivers get no trace headers: they are outside our tracing, and know the event by its id. */
function attempt(ctx: DeliveryCtx, due: DueDelivery, url: string): Promise<Result> {
  const step = ctx.traces?.begin('webhook attempt', factsOf(due), 'client')
  if (!step) return send(ctx, due, url)
  return asStep(step, async () => {
    const result = await send(ctx, due, url)
    step.note({ 'http.response.status_code': result.status ?? undefined, 'error.type': result.error ?? undefined })
    return result
  })
}

const factsOf = ({ id, eventId, type, attemptsMade }: DueDelivery) => ({
  'gateway.delivery.id': id,
  'gateway.delivery.attempt': attemptsMade + 1,
  'gateway.event.id': eventId,
  'gateway.event.type': type,
})

async function send(ctx: DeliveryCtx, due: DueDelivery, url: string): Promise<Result> {
  const { clock, outbound, failures } = ctx
  const { eventId, body } = due
  if (body === null) return failure('body_forgotten')
  const secrets = await findSigningSecrets(ctx, due).catch(failures.failed('webhooks.secret', { eventId }))
  // The key that encrypts secrets has changed since. An operator must correct this, and the pauses between the retries leave time for it.
  if (!secrets) return failure('secret_unreadable')
  const startedAt = clock.now()
  const signature = signBody({ id: eventId, timestamp: Math.floor(startedAt / 1000), body, secrets })
  const sent = { ...HEADERS, ...signature }
  const headers = JSON.stringify(sent)
  try {
    const reply = await outbound.post(url, { headers: sent, body })
    const { status, text, milliseconds, retryAfter } = reply
    return { status, error: describe(status), response: text.replaceAll('\0', ''), milliseconds, retryAfter, headers }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    return { ...failure(error.code), milliseconds: clock.now() - startedAt, headers }
  }
}

const failure = (error: string): Result => ({ status: null, error, response: '', milliseconds: 0, headers: null })

function describe(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return 'redirected'
  return status === 410 ? 'gone' : 'bad_status'
}

function judge({ type }: DueDelivery, { error }: Result): Outcome {
  if (error === null) return 'delivered'
  // A test is not retried: the person who tests a URL looks at the result now.
  return error === 'gone' || error === 'body_forgotten' || type === PING ? 'dead' : 'retrying'
}

/** Decides what follows from an attempt, and stores it. */
async function settle(
  batches: DeliveryBatches,
  due: DueDelivery,
  { retryAfter, ...result }: Result,
  wanted: Outcome,
): Promise<void> {
  const now = batches.clock.now()
  const attempt = due.attemptsMade + 1
  const wait = wanted === 'retrying' ? waitAfter(attempt, waitOf(batches, retryAfter)) : undefined
  const outcome = wanted === 'retrying' && wait === undefined ? 'dead' : wanted
  const nextAt = wait === undefined ? null : now + wait
  const trace = batches.traces?.handle()
  const won = await batches.settled.ask({ due, attempt: { attempt, at: now, ...result }, outcome, nextAt, trace })
  const { status, error: code, milliseconds } = result
  const told = outcome === 'dead' ? lastWord(due, code) : outcome
  const { eventId, id: deliveryId } = due
  if (won) batches.onAttempt({ eventId, deliveryId, attempt, outcome: told, status, code, milliseconds })
}

function lastWord({ type }: DueDelivery, code: string | null): AttemptEvent['outcome'] {
  if (type === PING) return 'test_failed'
  return code === 'endpoint_deleted' || code === 'endpoint_disabled' ? 'stopped' : 'dead'
}

/** Stores the results of attempts and what follows from them in one transaction; false for one that was settled before. */
function settleAll(ctx: DeliveryCtx, settlements: readonly Settlement[]): Promise<boolean[]> {
  const now = ctx.clock.now()
  return inTx(ctx, async (tx) => {
    const { delivered = [], failed = [] } = Object.groupBy(settlements, ({ outcome }) =>
      outcome === 'delivered' ? 'delivered' : 'failed',
    )
    const dues = delivered.map(({ due }) => due)
    const won = dues.length > 0 ? await markDelivered(tx.db, dues, now) : new Set<string>()
    for (const { due, attempt, outcome, nextAt, trace } of failed) {
      const change = { state: outcome, nextAt, finishedAt: nextAt === null ? now : null }
      if (!(await markAttempted(tx.db, due, change))) continue
      won.add(due.id)
      if (nextAt !== null) await enqueueDelivery(tx, { ...due, trace }, nextAt)
      const isGone = attempt.error === 'gone' && due.type !== PING
      if (isGone && !due.endpoint) await disableWebhook(tx.db, webhookOf(due), now)
    }
    const fresh = settlements.filter(({ due }) => won.has(due.id))
    if (fresh.length === 0) return settlements.map(() => false)
    await insertAttempts(
      tx.db,
      fresh.map(({ due, attempt }) => ({ delivery_id: due.id, ...attempt })),
    )
    const told = dues.filter(({ id }) => won.has(id))
    if (told.length > 0) {
      await markEventsDelivered(
        tx.db,
        told.map(({ eventId }) => eventId),
        now,
      )
    }
    for (const due of told) if (isByHand(due) && !due.endpoint) await enableWebhook(tx.db, webhookOf(due))
    await noteOutcomes(
      tx,
      fresh.map(({ due, attempt }) => ({ due, error: attempt.error, isSent: attempt.headers !== null })),
    )
    for (const { due } of fresh) if (due.accountId !== null) tx.notifyAccount(due.accountId, ['webhooks'])
    return settlements.map(({ due }) => won.has(due.id))
  })
}

function waitOf({ clock, random }: DeliveryCtx, retryAfter: string | undefined) {
  const chance = Buffer.from(random.bytes(4)).readUInt32LE() / 2 ** 32
  return { chance, retryAfter: readRetryAfter(retryAfter, clock.now()) }
}

/** Postpones a delivery because its host is busy with other deliveries of ours. This is not an attempt. */
async function putOff(ctx: DeliveryCtx, due: DueDelivery, at: number): Promise<void> {
  await inTx(ctx, async (tx) => {
    if (await markDueAt(tx.db, due, at)) await enqueueDelivery(tx, due, at)
  })
}

/** A merchant who redelivers, or tests a URL, may know that it works again: a disabled one is tried, and enabled on success. */
const isByHand = ({ cause, type }: DueDelivery) => cause === 'redelivery' || type === PING

/** Without an account the URL's state belongs to that checkout alone, because anonymous callers share no settings. */
const webhookOf = ({ accountId, subject, url }: DueDelivery) => ({ owner: accountId ?? subject, url: url! })

/** The secrets that sign a delivery now: the endpoint's, the checkout's, or the account's, with the one it replaces. */
async function findSigningSecrets(ctx: SecretCtx, due: DueDelivery): Promise<[string, ...string[]]> {
  const { eventId, accountId, encryptedSecret, accountSecret: sealed, endpoint } = due
  if (endpoint) return both(openEndpointSecret(ctx, endpoint.id, endpoint.secret))
  if (encryptedSecret !== null) return [ctx.secrets.open(eventSecretContext(eventId), encryptedSecret)]
  return both(sealed ? openAccountSecret(ctx, accountId!, sealed) : await accountSecret(ctx, accountId!))
}

const both = ({ current, previous }: OpenedSecret): [string, ...string[]] =>
  previous === undefined ? [current] : [current, previous]
