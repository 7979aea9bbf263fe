import { hash } from 'node:crypto'
import { parseNano } from '../../src/kernel/money.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import type { CheckoutMode, CheckoutStatus } from '../../src/modules/checkout/record.ts'
import type { Bulk, Rows } from './bulk.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const WATCHED_AFTER_END = 7 * DAY
const BATCH = 5_000
/** Unique amounts differ by at least one raw. */
const PRICE = parseNano('10')!

/** The digits depend only on the text, so that a million checkouts need no memory. */
const digest = (text: string) => hash('sha256', text, 'hex')
export const addressOf = (name: string) => toAddress(digest(name).toUpperCase())
export const ownerOf = (merchant: number) => `acc_merchant_${merchant}`
export const keyOf = (merchant: number) => `key_merchant_${merchant}`
export const checkoutIdOf = (name: string) => digest(name).slice(0, 16)

interface Made {
  name: string
  merchant: number
  mode: CheckoutMode
  status: CheckoutStatus
  address: string
  amountRaw: bigint
  createdAt: number
  webhookUrl?: string
}

const empty = () => ({
  checkouts: [] as NonNullable<Rows['checkouts']>,
  checkout_timeline: [] as NonNullable<Rows['checkout_timeline']>,
  checkout_payments: [] as NonNullable<Rows['checkout_payments']>,
  checkout_reservations: [] as NonNullable<Rows['checkout_reservations']>,
  checkout_watchers: [] as NonNullable<Rows['checkout_watchers']>,
  watched_addresses: [] as NonNullable<Rows['watched_addresses']>,
})

type Batch = ReturnType<typeof empty>

/** All rows that the gateway would have written for a checkout by now. */
function add(batch: Batch, made: Made, now: number): void {
  const { name, merchant, mode, status, address, createdAt, webhookUrl } = made
  const id = checkoutIdOf(name)
  const owner = ownerOf(merchant)
  const amount = made.amountRaw.toString()
  const expiresAt = createdAt + DAY
  const watchedUntil = expiresAt + WATCHED_AFTER_END
  const paidAt = status === 'complete' ? Math.min(now, createdAt + 5 * 60_000) : null
  const block = paidAt === null ? null : digest(`block ${name}`).toUpperCase()
  const payer = paidAt === null ? null : addressOf(`payer ${merchant}`)
  batch.checkouts.push({
    id,
    owner,
    key_id: keyOf(merchant),
    mode,
    status,
    additional_status: 'none',
    address,
    merchant_address: address,
    wallet_id: null,
    currency: 'NANO',
    price: '10',
    price_e8: null,
    amount_raw: amount,
    paid_raw: paidAt === null ? '0' : amount,
    plans: '[]',
    plan: null,
    title: `Order ${name}`,
    description: null,
    image: null,
    success_url: 'https://shop.example/thanks',
    cancel_url: null,
    webhook_url: webhookUrl ?? null,
    webhook_secret: null,
    webhook_events: '[]',
    notify: null,
    metadata: JSON.stringify({ order: name }),
    seq: status === 'pending' ? 1 : 2,
    created_at: createdAt,
    expires_at: expiresAt,
    watched_until: watchedUntil,
    served_at: createdAt,
    seen_at: paidAt,
    paid_at: paidAt,
    hidden_at: null,
    notified_at: null,
    block_hash: block,
    payer,
    detected_block: null,
    detected_at: null,
    look: 1,
    look_height: 0,
    note: null,
    chosen: null,
    refunded_raw: '0',
    invoice: null,
    invoice_number: null,
    bare_price: 0,
    made_with: null,
    webhook_proof: 0,
  })
  const entry = { checkout_id: id, additional_status: 'none' as const }
  const created = { status: 'pending', reason: 'created', block_hash: null, at: createdAt } as const
  batch.checkout_timeline.push({ ...entry, seq: 1, ...created })
  if (status !== 'pending') {
    const reason = status === 'complete' ? 'paid' : 'expired'
    batch.checkout_timeline.push({ ...entry, seq: 2, status, reason, block_hash: block, at: paidAt ?? expiresAt })
  }
  if (paidAt !== null) {
    const paid = { kind: 'counted', plan: null, rate: null, rate_source: null, at: paidAt, created_at: paidAt } as const
    const send = { block_hash: block!, address, payer: payer!, amount_raw: amount }
    batch.checkout_payments.push({ owner, checkout_id: id, ...send, ...paid })
  }
  if (watchedUntil > now && mode === 'unique_amount') {
    const terms = { plan: -1, quote: null, superseded: 0, chosen: null, chosen_by: null }
    const times = { created_at: createdAt, release_at: watchedUntil }
    batch.checkout_reservations.push({ address, amount_raw: amount, owner, checkout_id: id, ...terms, ...times })
  }
}

function watch(batch: Batch, { address, merchant, since, watchedUntil, nextScanAt }: Watch): void {
  const look = { look: 1, look_height: 0 }
  batch.checkout_watchers.push({ address, owner: ownerOf(merchant), since, watched_until: watchedUntil, ...look })
  const times = { since, fresh_at: since, watched_until: watchedUntil, scanned_at: 0, next_scan_at: nextScanAt }
  batch.watched_addresses.push({ address, ...times, frontier: null, looks: 1, floor_height: 0 })
}

interface Watch {
  address: string
  merchant: number
  since: number
  watchedUntil: number
  nextScanAt: number
}

const MERCHANTS = 1_000
/** Merchant 0 has this many tenths of all checkouts; 90 % of checkouts use their merchant's own address. */
const BIG_TENTHS = 3
const HISTORY_DAYS = 90

const merchantOf = (at: number) => (at % 10 < BIG_TENTHS ? 0 : 1 + ((at * 7919) % (MERCHANTS - 1)))
const shopOf = (merchant: number) => addressOf(`shop ${merchant}`)

/**
 * Checkouts `from` to `to` of a service that is 90 days old: a thousand merchants, one of them with 30 %; 70 % are paid, the rest expired or, on the last
 * day, open.
 */
export async function fillHistory(bulk: Bulk, { from, to, now }: { from: number; to: number; now: number }) {
  const shops = Array.from({ length: MERCHANTS }, (_, merchant) => shopOf(merchant))
  let batch = empty()
  const flush = async () => {
    await bulk.insert(batch)
    batch = empty()
  }
  const horizon = now + 8 * DAY
  if (from === 0) {
    for (const [merchant, address] of shops.entries()) {
      watch(batch, { address, merchant, since: now - HISTORY_DAYS * DAY, watchedUntil: horizon, nextScanAt: horizon })
    }
  }
  for (let at = from; at < to; at++) {
    const name = `history ${at}`
    const merchant = merchantOf(at)
    const isOwn = at % 10 === 9
    const chance = Number.parseInt(digest(name).slice(16, 24), 16) / 2 ** 32
    const createdAt = Math.floor(now - chance * HISTORY_DAYS * DAY)
    const isOld = createdAt + DAY < now
    const address = isOwn ? addressOf(name) : shops[merchant]!
    const mode = isOwn ? 'unique_address' : 'unique_amount'
    const status = at % 100 < 70 ? 'complete' : isOld ? 'expired' : 'pending'
    add(batch, { name, merchant, mode, status, address, amountRaw: PRICE + BigInt(at), createdAt }, now)
    const watchedUntil = createdAt + DAY + WATCHED_AFTER_END
    if (isOwn && watchedUntil > now)
      watch(batch, { address, merchant, since: createdAt, watchedUntil, nextScanAt: horizon })
    if ((at + 1) % BATCH === 0) await flush()
  }
  await flush()
}

export interface OpenOne {
  id: string
  address: string
  amountRaw: bigint
}

const SHARED = 1_000
const SHARED_EACH = 20

/** The checkouts of `fillOpen`, by index: each with its own address or a unique amount. */
export function openOwn(at: number): OpenOne {
  const name = `own ${at}`
  return { id: checkoutIdOf(name), address: addressOf(name), amountRaw: PRICE }
}
export function openShared(at: number): OpenOne {
  const [merchant, order] = [at % SHARED, Math.floor(at / SHARED)]
  return { id: checkoutIdOf(`shared ${at}`), address: shopOf(merchant), amountRaw: PRICE + BigInt(order) + 1n }
}

/** Open checkouts on that many addresses, plus a thousand that share addresses; half have a webhook. */
export async function fillOpen(
  bulk: Bulk,
  { watched, now, sharedEach = SHARED_EACH }: { watched: number; now: number; sharedEach?: number },
): Promise<void> {
  let batch = empty()
  const flush = async () => {
    await bulk.insert(batch)
    batch = empty()
  }
  const createdAt = now - HOUR
  const watchedUntil = createdAt + DAY + WATCHED_AFTER_END
  // Scans are spread over the poller's slowest interval, as in a service that has run for a while.
  const nextScanAt = (at: number) => now + 1_000 * (1 + (at % 600))
  const webhook = (at: number) => (at % 2 === 0 ? { webhookUrl: 'https://shop.example/hook' } : {})
  for (let at = 0; at < watched; at++) {
    const merchant = at % SHARED
    const { address, amountRaw } = openOwn(at)
    const made = { name: `own ${at}`, merchant, mode: 'unique_address', status: 'pending', address, amountRaw } as const
    add(batch, { ...made, createdAt, ...webhook(at) }, now)
    watch(batch, { address, merchant, since: createdAt, watchedUntil, nextScanAt: nextScanAt(at) })
    if ((at + 1) % BATCH === 0) await flush()
  }
  const shops = new Map<string, number>()
  for (let at = 0; at < SHARED * sharedEach; at++) {
    const { address, amountRaw } = openShared(at)
    const merchant = at % SHARED
    const kind = { mode: 'unique_amount', status: 'pending', createdAt } as const
    add(batch, { name: `shared ${at}`, merchant, address, amountRaw, ...kind, ...webhook(at) }, now)
    shops.set(address, merchant)
  }
  for (const [address, merchant] of shops) {
    watch(batch, { address, merchant, since: createdAt, watchedUntil, nextScanAt: nextScanAt(merchant) })
  }
  await flush()
}
