import { type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { openOutbound } from '../../src/infra/http/outbound.ts'
import { JobRunner } from '../../src/infra/jobs/runner.ts'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import { inTx } from '../../src/kernel/in-tx.ts'
import type { Job } from '../../src/kernel/job.ts'
import {
  type AttemptEvent,
  type EventWithDeliveries,
  listEventsOf,
  recordEvent,
} from '../../src/modules/webhooks/index.ts'
import { type DeliveryCtx, deliver, openBatches } from '../../src/modules/webhooks/domain/deliver.ts'
import { HostConcurrency } from '../../src/modules/webhooks/domain/host-concurrency.ts'
import { type NewEvent } from '../../src/modules/webhooks/domain/record-event.ts'
import { deliverToEndpoint, deliverWebhook, replayEvents } from '../../src/modules/webhooks/jobs.ts'
import type { WebhookContext } from '../../src/modules/webhooks/context.ts'
import type { TestClock } from './clock.ts'
import { type OpenedStore, openFresh } from './engines.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { type Gateway, type Lifetime, ask } from './gateway.ts'
import { until } from './until.ts'
import { receiveFailures } from './failures.ts'
import { serveWhole } from './serve.ts'

export const ACCOUNT = 'acc_alice'
export const SUBJECT = '5c363461a1b2c3d4'

export interface Webhooks extends OpenedStore {
  ctx: DeliveryCtx & WebhookContext
  clock: TestClock
  runner: JobRunner
  /** The result of each attempt, in order. */
  attempts: AttemptEvent[]
  /** Records an event; given fields replace the defaults. */
  record(event: Partial<NewEvent>): Promise<string>
  /** Records an event and waits until it was delivered to everybody or postponed. */
  tell(event: Partial<NewEvent>): Promise<string>
  /** Waits until no work is due. */
  settle(): Promise<void>
  /** Advances to the next attempt and waits for its end; returns the time advanced. */
  toNextAttempt(): Promise<number>
  /** Postponed deliveries. */
  countPutOff(): Promise<number>
  about(subject?: string, accountId?: string | null): Promise<EventWithDeliveries[]>
}

/** Events sent through a real queue and the real HTTP client, with a test clock. */
export async function openWebhooks(
  t: TestContext,
  engine: StoreEngine = 'sqlite',
  failures?: (clock: TestClock) => DeliveryCtx['failures'],
): Promise<Webhooks> {
  const opened = await openFresh(t, engine)
  const { store, clock } = opened
  const { db } = store
  const { random, ids } = opened.ctx
  const attempts: AttemptEvent[] = []
  const delivering: DeliveryCtx = {
    ...opened.ctx,
    secrets: openSecretBox(random.bytes(32), random),
    // Every host name resolves to this machine, so that tests can use any number of hosts.
    outbound: openOutbound({ clock, allowPrivate: true, resolve: () => Promise.resolve(['127.0.0.1']) }),
    slots: new HostConcurrency(),
    onAttempt: (event) => void attempts.push(event),
    ...(failures && { failures: failures(clock) }),
  }
  const batches = openBatches(delivering)
  const attempt = (deliveryId: string) => deliver(batches, { deliveryId })
  const ctx = { ...delivering, kinds: ['payment.completed', 'payment.late', 'refund.sent'], attempt }
  const jobs = [deliverWebhook(ctx, batches), deliverToEndpoint(ctx, batches), replayEvents(ctx)]
  const runner = openRunner(t, opened, ...jobs)
  await runner.start()

  const record: Webhooks['record'] = async (event) => {
    const id = event.id ?? ids.next('evt')
    const body = JSON.stringify({ id, type: 'payment.completed', metadata: { note: 'Zoë € 支払い' } })
    const usual = { accountId: ACCOUNT, subject: SUBJECT, type: 'payment.completed', dedupeKey: id, body }
    await inTx(ctx, (tx) => recordEvent(tx, { ...usual, url: null, secret: null, ...event, id }))
    return id
  }
  const timed = db.selectFrom('deliveries').select(['next_at', 'state']).where('next_at', 'is not', null)
  const waiting = () => timed.orderBy('next_at').execute()
  const countWritten = async () => (await db.selectFrom('delivery_attempts').select('attempt').execute()).length
  const countRunning = async () =>
    (await db.selectFrom('jobs').select('id').where('status', '=', 'running').execute()).length
  const settle = () =>
    until(async () => {
      runner.wake()
      const isOver = (await waiting()).every(({ next_at: at, state }) => at! > clock.now() && state !== 'sending')
      // A result is reported a moment after it was written, and its job ends a moment later. Advancing the clock in between would end the job's lease.
      return isOver && (await countWritten()) === attempts.length && (await countRunning()) === 0
    })
  const tell: Webhooks['tell'] = async (event) => {
    const id = await record(event)
    await settle()
    return id
  }
  const toNextAttempt = async () => {
    const [next] = await waiting()
    if (!next) throw new Error('Nothing waits.')
    const wait = Math.max(0, next.next_at! - clock.now())
    clock.advance(wait)
    await settle()
    return wait
  }
  const countPutOff = async () => (await waiting()).filter(({ next_at: at }) => at! > clock.now()).length
  const about: Webhooks['about'] = (subject = SUBJECT, accountId = ACCOUNT) => listEventsOf(ctx, { subject, accountId })
  return { ...opened, ctx, runner, attempts, record, tell, settle, toNextAttempt, countPutOff, about }
}

/** Another worker on the same queue. */
export function openRunner(
  t: TestContext,
  { store, clock, ctx }: Omit<OpenedStore, 'openAnother'>,
  ...jobs: Job[]
): JobRunner {
  const { db, engine, notices } = store
  const { random, ids } = ctx
  const runner = new JobRunner({ failures: receiveFailures(), db, engine, clock, random, ids, jobs })
  const unsubscribe = notices.subscribe('jobs', () => runner.wake())
  t.after(async () => {
    unsubscribe()
    await runner.stop()
  })
  return runner
}

interface ShownAttempt {
  attempt: number
  at: string
  status: number | null
  error: string | null
  ms: number
  response: string
  headers: Record<string, string> | null
}

/** A delivery as the owner of its event sees it. */
export interface ShownDelivery {
  id: string
  endpoint: string | null
  cause: string
  state: string
  next_at: string | null
  attempts: ShownAttempt[]
}

export interface ShownEvent {
  id: string
  type: string
  subject: string
  created_at: string
  delivered: boolean
  url: string | null
  payload: { id: string } | null
  deliveries: ShownDelivery[]
}

/** Reads an account's events from a whole gateway. */
export function readerOf({ url, app }: Pick<Gateway, 'url' | 'app'>, key: string) {
  const headers = { key }
  const get = (path: string) => ask(`${url}/api${path}`, { method: 'GET', headers })
  const post = (path: string, body: object = {}, more: Record<string, string> = {}) =>
    ask(`${url}/api${path}`, { headers: { ...headers, ...more }, body: JSON.stringify(body) })
  const show = async (id: string) => (await get(`/events/${id}`)).json<{ event: ShownEvent }>().event
  /** Waits until the latest delivery of an event was tried that often, without advancing the clock. */
  const untilTried = async (id: string, times: number): Promise<ShownDelivery> => {
    await until(async () => {
      app.store.notices.publish('jobs', '')
      return (await show(id)).deliveries.at(-1)?.attempts.length === times
    })
    // Deliveries are read before their attempts, so read both again to get a consistent view.
    return (await show(id)).deliveries.at(-1)!
  }
  return { get, post, show, untilTried }
}

export interface Received {
  url: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Receiver {
  url: string
  requests: Received[]
  /** How the next requests are answered. */
  answer: (response: ServerResponse, request: Received) => void
}

/** A merchant's server on this machine. */
export async function openReceiver(t: Lifetime, answer: Receiver['answer'] = answerWith(200)): Promise<Receiver> {
  const receiver: Receiver = { url: '', requests: [], answer }
  const url = await serveWhole(t, (body, request, response) => {
    const received = { url: request.url!, headers: request.headers, body }
    receiver.requests.push(received)
    receiver.answer(response, received)
  })
  receiver.url = `${url}/hook`
  return receiver
}

export const answerWith =
  (status: number, headers: Record<string, string> = {}, body = '') =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body)
