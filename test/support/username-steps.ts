import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { toNameChangeMessage } from '../../src/kernel/name-change.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { signText } from '../../src/kernel/nano/keys.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import type { JsonObject } from '../../src/kernel/shape.ts'
import { Signer, frontierOf, fundsOf, openAccount, publish } from './blocks.ts'
import { until } from './until.ts'
import { type Check, type Shop, type World, nano, openWorld, turnUntil } from './checkout-steps.ts'

export interface Offer {
  id: string
  name: string
  address: string
  browser: string
  check: string
  json: string
  available: boolean
  status: string
  lease: Record<string, unknown> | null
  plans: { title: string; value: string; value_raw: string; link: string }[]
  expires_unix: number
}

export interface Order {
  kind: string
  name?: string
  status: string
  reason?: string
  what?: string
  authorize_by_unix?: number
  refunds?: { block: string; amount_raw: string; status: string; reason: string; refund_hash?: string }[]
}

export type OrderCheck = Check & {
  order: Order
  refund?: { hash: string | null; amount: string; amount_raw: string; address: string | null }
}

export interface Market extends World {
  /** An account with money on the ledger. */
  person(): Promise<Signer>
  /** Sends to an address. */
  send(from: Signer, to: string, amountRaw: string): Promise<string>
  /** An address's balance plus everything receivable. */
  fundsOf(address: string): bigint
}

let signers = 500

export async function openMarket(t: TestContext, engine: StoreEngine = 'sqlite'): Promise<Market> {
  // Wallets' blocks need work; the ledger computes it faster than a thread starts.
  const world = await openWorld(t, engine, WORK_THRESHOLDS.dev)
  const { node } = world.ledger
  return {
    ...world,
    async person() {
      const signer = new Signer(signers++, WORK_THRESHOLDS.dev)
      await openAccount(node, signer, nano('100'))
      return signer
    },
    send: (from, to, amountRaw) =>
      publish(node, from.send(frontierOf(node, from.key), fromAddress(to)!, BigInt(amountRaw))),
    fundsOf: (address) => fundsOf(node, address),
  }
}

/** A market with a shop and an account with money. */
export async function openStall(t: TestContext, engine?: StoreEngine) {
  const market = await openMarket(t, engine)
  return { market, shop: await market.start(), person: await market.person() }
}

export async function offer(shop: Shop, name: string, headers: Record<string, string> = {}): Promise<Offer> {
  const reply = await shop.call('get_name', { name }, headers)
  assert.equal(reply.status, 200, reply.text)
  return reply.json<Offer>()
}

export const priceOf = ({ plans }: Pick<Offer, 'plans'>, title: string) =>
  plans.find((plan) => plan.title === title)!.value_raw

const settledOf = ({ app: { store } }: Shop, id: string) =>
  store.db.selectFrom('service_payments').selectAll().where('checkout_id', '=', id).execute()

/** Waits for the status of an order, read from the store, because the clock of `check`'s limit may stand still. */
export async function untilOrder(shop: Shop, id: string, status: string): Promise<OrderCheck> {
  await until(async () => (await settledOf(shop, id)).some(({ outcome }) => outcome === status))
  return shop.check(id) as Promise<OrderCheck>
}

/** Leases a name and waits for it. */
export async function lease(market: Market, shop: Shop, who: Signer, name: string, title = '1 Year'): Promise<Offer> {
  const made = await offer(shop, name)
  await market.send(who, made.address, priceOf(made, title))
  await untilOrder(shop, made.id, 'applied')
  return made
}

/** The answer of `update_name`. */
export interface Change {
  id: string
  address: string
  browser: string
  check: string
  json: string
  update_name: string
  amount: string
  amount_raw: string
  link: string
  expires_unix: number
  authorized: boolean
  changes?: JsonObject
  to_sign?: string
}

export async function askChange(shop: Shop, fields: object, headers: Record<string, string> = {}): Promise<Change> {
  const reply = await shop.call('update_name', fields, headers)
  assert.equal(reply.status, 200, reply.text)
  return reply.json<Change>()
}

/** The owner's signed approval of a change. */
export function sign(who: Signer, { id }: { id: string }, { name, ...changes }: { name: string } & JsonObject) {
  const signature = signText(who.privateKey, toNameChangeMessage({ name, id, changes }))
  return { name, id, ...changes, signature }
}

/** Requests a change, signs it, pays it and waits for it. */
export async function change(
  market: Market,
  shop: Shop,
  who: Signer,
  fields: { name: string } & JsonObject,
): Promise<Change> {
  const asked = await askChange(shop, { name: fields.name })
  await askChange(shop, sign(who, asked, fields))
  await market.send(who, asked.address, asked.amount_raw)
  await untilOrder(shop, asked.id, 'applied')
  return asked
}

/** Waits until the treasury has nothing left to do, because pending work counts as lost when the clock jumps. */
export async function untilQuiet(market: Market, shop: Shop): Promise<void> {
  const { db } = shop.app.store
  await turnUntil(market, 1_000, async () => {
    const open = await db.selectFrom('wallet_blocks').select('id').where('status', '<>', 'confirmed').execute()
    return open.length === 0
  })
}

/** Waits until a refund is on the ledger and the treasury has nothing left to do. */
export async function untilRefunded(market: Market, shop: Shop, id: string, refunds = 1): Promise<OrderCheck> {
  await turnUntil(market, 1_000, async () => {
    const references = (await settledOf(shop, id)).map(({ block_hash: hash }) => `payment:refund:${hash}`)
    if (references.length === 0) return false
    const signed = shop.app.store.db.selectFrom('wallet_blocks').select('id').where('hash', 'is not', null)
    return (await signed.where('reference', 'in', references).execute()).length >= refunds
  })
  await untilQuiet(market, shop)
  return (await shop.check(id)) as OrderCheck
}

/** The treasury must hold all payments minus refunds, to the raw; every recorded payment must have an outcome; and each refund must be for one block. */
export async function assertAccounted(market: Market, shop: Shop): Promise<void> {
  const { db } = shop.app.store
  const payments = await db.selectFrom('checkout_payments').selectAll().where('owner', '=', 'service').execute()
  const settled = await db.selectFrom('service_payments').selectAll().execute()
  const matched = payments.filter(({ checkout_id: id }) => id !== null)
  assert.deepEqual(
    settled
      .filter(({ checkout_id: id }) => id !== null)
      .map(({ block_hash: hash }) => hash)
      .sort(),
    matched.map(({ block_hash: hash }) => hash).sort(),
  )
  const treasury = await db
    .selectFrom('wallets')
    .selectAll()
    .where('purpose', '=', 'treasury')
    .executeTakeFirstOrThrow()
  const sends = await db
    .selectFrom('wallet_blocks')
    .selectAll()
    .where('wallet_id', '=', treasury.id)
    .where('kind', '=', 'send')
    .execute()
  const refunded = settled.filter(({ outcome }) => outcome === 'refunded')
  assert.deepEqual(
    sends.map(({ reference, amount_raw: raw }) => [reference, BigInt(raw!)]).sort(),
    refunded.map(({ block_hash: hash, amount_raw: raw }) => [`payment:refund:${hash}`, BigInt(raw)]).sort(),
  )
  const sum = (rows: { amount_raw: string | null }[]) => rows.reduce((all, row) => all + BigInt(row.amount_raw!), 0n)
  const sent = sends.filter(({ status }) => status === 'confirmed')
  assert.equal(market.fundsOf(treasury.address), sum(payments) - sum(sent))
}
