import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { parseNano } from '../../src/kernel/money.ts'
import { Signer } from './blocks.ts'
import type { Gateway } from './gateway.ts'
import { until } from './until.ts'
import { type World as OneWorld, openWorld as openOneWorld } from './world.ts'

export { bearer } from './gateway.ts'

export interface Check {
  id: string
  status: string
  additional_status: string
  success: boolean
  address: string
  amount: string | null
  amount_raw: string
  amount_paid_raw: string
  amount_due_raw: string
  block?: { hash: string; account: string; amount: string; amount_raw: string }
  detected_block?: { hash: string; account: string; amount: string; amount_raw: string }
  message?: string
  plan?: { title: string; value_raw: string }
  expired?: boolean
  error?: string
}

export interface Made {
  id: string
  address: string
  amount: string
  amount_raw: string
  link: string
  qrcode: string
  plans: { title: string; value: string; value_raw: string }[]
  webhook_secret?: string
  [name: string]: unknown
}

/** A gateway with helpers for checkouts. */
export interface Shop extends Gateway {
  /** Makes a checkout that must succeed. */
  open(fields: object, headers?: Record<string, string>): Promise<Made>
  check(id: string): Promise<Check>
}

export interface World extends OneWorld {
  start(env?: Record<string, string>): Promise<Shop>
}

export const merchant = new Signer(41)
export const stranger = new Signer(42)
export const nano = (text: string) => parseNano(text)!

export async function openWorld(...given: Parameters<typeof openOneWorld>): Promise<World> {
  const world = await openOneWorld(...given)
  return { ...world, start: async (env) => toShop(await world.start(env)) }
}

const toShop = (gateway: Gateway): Shop => ({
  ...gateway,
  async open(fields, headers) {
    const reply = await gateway.call('checkout', fields, headers)
    if (reply.status !== 200) throw new Error(`No checkout: ${reply.status} ${reply.text}`)
    return reply.json<Made>()
  },
  check: async (id) => (await gateway.rest('GET', `/check/${id}`)).json<Check>(),
})

/** A shop whose merchant has a key, and may get webhooks on this machine. */
export async function openShop(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<{ world: World; shop: Shop; key: string }> {
  const world = await openWorld(t)
  const shop = await world.start({ WEBHOOK_ALLOW_PRIVATE: 'true', ...env })
  const { key } = await shop.join()
  return { world, shop, key }
}

/** Pause between checks: a gateway that is polled without a pause is too busy to do the work. */
const BETWEEN_LOOKS = 4

/** Waits until a checkout has a status; returns its check. */
export async function untilStatus(shop: Shop, id: string, status: string): Promise<Check> {
  await until(async () => {
    if ((await shop.check(id)).status === status) return true
    await delay(BETWEEN_LOOKS)
    return false
  })
  return shop.check(id)
}

/** Longer than a scan of the ledger takes: a clock that runs ahead would make scans time out. */
const LOOK = 40
/** If scans take longer, the clock advances more slowly; otherwise none would ever finish. */
const paceAfter = (milliseconds: number) =>
  milliseconds < 10_000 ? LOOK : milliseconds < 25_000 ? 10 * LOOK : 50 * LOOK

/**
 * Advances the clock step by step until a condition is true, with time for pending work in each step. With known nodes it waits while they have requests
 * to answer, which on a busy machine would otherwise time out.
 */
export async function turnUntil(
  { clock }: Pick<World, 'clock'>,
  stepMilliseconds: number,
  isSo: () => Promise<boolean>,
  nodes?: readonly { open: number }[],
): Promise<void> {
  const startedAt = performance.now()
  let turnedAt = startedAt
  await until(async () => {
    if (await isSo()) return true
    const now = performance.now()
    const pace = nodes ? LOOK : paceAfter(now - startedAt)
    if (now - turnedAt > pace && !nodes?.some(({ open }) => open > 0)) {
      clock.advance(stepMilliseconds)
      turnedAt = performance.now()
    }
    await delay(BETWEEN_LOOKS)
    return false
  })
}

/**
 * Advances the clock to the end of a checkout, and on until the end is recorded. Steps of hours would interrupt every scan of the ledger that takes longer
 * than a step, until the address is not watched any more.
 */
export async function untilExpired(world: Pick<World, 'clock'>, shop: Shop, id: string): Promise<void> {
  const checkouts = shop.app.store.db.selectFrom('checkouts').select('expires_at').where('id', '=', id)
  const { expires_at: end } = await checkouts.executeTakeFirstOrThrow()
  world.clock.advance(Math.max(0, end - world.clock.now()))
  await turnUntil(world, 1_000, async () => (await shop.check(id)).status === 'expired')
}

/** Pays a checkout's current amount, and advances the clock until it is paid. */
export async function payFor(world: World, shop: Shop, id: string): Promise<void> {
  const { address, amount_raw: raw } = await shop.check(id)
  await world.pay(address, raw)
  await turnUntil(world, 1_000, async () => (await shop.check(id)).success)
}

/** The merchant's view of a checkout over REST. */
export interface Shown {
  checkout: Record<string, unknown>
  payments: { block_hash: string; amount_raw: string; kind: string }[]
  webhook_events: { id: string; type: string; payload: EventBody }[]
  timeline: { seq: number; status: string; additional_status: string; at_unix: number; reason: string }[]
}

/** The body of an event about a checkout. */
export interface EventBody {
  id: string
  type: string
  created_unix: number
  checkout_id: string
  checkout: string
  status: string
  address: string
  payment: { address: string; amount: string; amount_raw: string }
  block?: { hash: string; account: string; amount: string; amount_raw: string; confirmed: string }
  plan: { title: string; value: string; discount: false | number; value_raw: string }
  metadata: object
}

export async function show(shop: Shop, id: string, key: string): Promise<Shown> {
  const reply = await shop.rest('GET', `/api/checkouts/${id}`, key)
  if (reply.status !== 200) throw new Error(`Nothing shown: ${reply.status} ${reply.text}`)
  return reply.json<Shown>()
}

/** All recorded events, oldest first. */
export async function listEvents({ app }: Shop, subject?: string) {
  const rows = await app.store.db.selectFrom('events').selectAll().orderBy('created_at').orderBy('position').execute()
  return rows
    .map(({ subject, type, body }) => ({ subject, type, body: body! }))
    .filter((event) => subject === undefined || event.subject === subject)
}

/** Revenue without refunds, as in reports. */
export const earned = (count: number, amount: string, raw: string) => ({
  count,
  amount,
  amount_raw: raw,
  gross: amount,
  refunded: amount.includes('.') && amount.length - amount.indexOf('.') === 3 ? '0.00' : '0',
  refunded_raw: '0',
  net: amount,
  net_raw: raw,
})
