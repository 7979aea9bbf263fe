import { isOutage } from '../../../kernel/failures.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import type { NodePort } from '../../../kernel/ports.ts'
import { listRecorded } from '../payments-store.ts'
import type { Checkout, SeenBlock } from '../record.ts'
import { type CheckoutContext, inQuietTx } from '../context.ts'
import { listNextExpiries, listStuck, lockCheckout } from '../store.ts'
import { type WatchedAddress } from '../watch-store.ts'
import { hastenScans, markScanned, updateFrontier } from '../scans-store.ts'
import { SMALLEST_PRICE } from './amounts.ts'
import { CLOCK_SLACK, type IncomingSend, timeOf } from './baseline.ts'
import { listClaims } from './claims.ts'
import { creditSend, undetected } from './credit.ts'
import { CATCH_UP_MARGIN, expireOverdue } from './end.ts'
import { announce } from './events.ts'
import { moveCheckout } from './move.ts'
import { readPlaces, readReceived, readSends, readStates } from './read-ledger.ts'

const MINUTE = 60_000
const PACE_MIN = 15_000
/** While events arrive, looks are only a second safety net, so they are slower. */
const PACE_MIN_CONNECTED = 60_000
const PACE_MAX = 10 * MINUTE
const PACE_LATE = 6 * 60 * MINUTE
const RECORDED_AT_ONCE = 500
/** A block that is not final by then is looked at again, and given up if it still is not (contract 3). */
const CONFIRMATION_MILLISECONDS = 90_000

export interface ScanTools {
  node: NodePort
  /** Blocks that were already final when last read: nothing about them can change. */
  settled: { has(hash: string): boolean; add(hash: string): void }
  /** Whether the ledger's event stream reports payments at the moment. */
  receivesEvents(): boolean
}

/**
 * Looks at the ledger for sends to addresses, whether an event reported them or not: credits final ones, shows the others, then expires
 * overdue checkouts. An address counts as looked at only when all of that succeeded.
 */
export async function scanAddresses(
  ctx: CheckoutContext,
  tools: ScanTools,
  { watched, leaseUntil }: { watched: readonly WatchedAddress[]; leaseUntil: number },
): Promise<void> {
  const startedAt = ctx.clock.now()
  const states = await readStates(
    tools.node,
    watched.map(({ address }) => address),
  )
  /** The height at which each send was received; null while it is receivable. */
  const found = new Map<string, number | null>()
  const received = new Map<string, readonly string[]>()
  const moved = new Map<string, string>()
  const incomplete = new Set<string>()
  for (const [at, { address, frontier: knownHead, floorHeight: floor, since }] of watched.entries()) {
    const { waiting, frontier } = states[at]!
    for (const hash of waiting) found.set(hash, null)
    if (frontier === null || frontier === knownHead) continue
    const { sends, newest } = await readReceived(tools.node, address, { knownHead, floor, since: since - CLOCK_SLACK })
    for (const { hash, height } of sends) found.set(hash, height)
    received.set(
      address,
      sends.map(({ hash }) => hash),
    )
    if (newest !== null) moved.set(address, newest)
    // Nodes disagree about the newest block: the look is repeated, and expires nothing.
    if (newest !== frontier) incomplete.add(address)
  }
  const { unsettled, doubted } = await takeSends(ctx, tools, found)
  for (const address of doubted) incomplete.add(address)
  // A received send that is not final is found only through its receive block, so the next look must begin before that.
  for (const [address, sends] of received) if (sends.some((hash) => unsettled.has(hash))) moved.delete(address)
  const paceMin = tools.receivesEvents() ? PACE_MIN_CONNECTED : PACE_MIN
  const complete = watched.filter(({ address }) => !incomplete.has(address))
  await finishScan(ctx, { watched: complete, moved, startedAt, leaseUntil, paceMin })
}

interface FinishedScan {
  watched: readonly WatchedAddress[]
  /** The newest block that was looked through, by address. */
  moved: ReadonlyMap<string, string>
  startedAt: number
  leaseUntil: number
  paceMin: number
}

/** Every send there is credited: stores that these addresses were looked at, and expires overdue checkouts. */
async function finishScan(
  ctx: CheckoutContext,
  { watched, moved, startedAt, leaseUntil, paceMin }: FinishedScan,
): Promise<void> {
  const expiries = await listNextExpiries(
    ctx.db,
    watched.map(({ address }) => address),
  )
  const turns = Map.groupBy(watched, ({ address, freshAt }) =>
    nextScan(ctx, { freshAt, expiry: expiries.get(address), paceMin }),
  )
  await inQuietTx(ctx, async ({ db }) => {
    for (const [address, frontier] of moved) await updateFrontier(db, address, frontier)
    for (const [nextScanAt, group] of turns) {
      const addresses = group.map(({ address }) => address)
      await markScanned(db, addresses, { scannedAt: startedAt, nextScanAt, leaseUntil })
    }
  })
  for (const [address, expiry] of expiries) {
    if (expiry <= startedAt - CATCH_UP_MARGIN) await expireOverdue(ctx, address)
  }
}

/**
 * Credits or shows the sends among blocks; skips those recorded or settled before. Returns which of them are not settled yet, and the
 * addresses for which nodes do not agree whether they have received a send.
 */
export async function takeSends(
  ctx: CheckoutContext,
  tools: ScanTools,
  found: ReadonlyMap<string, number | null>,
): Promise<{ unsettled: ReadonlySet<string>; doubted: ReadonlySet<string> }> {
  const unknown = [...found.keys()].filter((hash) => !tools.settled.has(hash))
  const fresh: string[] = []
  for (let at = 0; at < unknown.length; at += RECORDED_AT_ONCE) {
    const part = unknown.slice(at, at + RECORDED_AT_ONCE)
    const recorded = await listRecorded(ctx.db, part)
    fresh.push(...part.filter((hash) => !recorded.has(hash)))
    for (const hash of recorded) tools.settled.add(hash)
  }
  const unsettled = new Set<string>()
  const doubted = new Set<string>()
  if (fresh.length === 0) return { unsettled, doubted }
  const failures: unknown[] = []
  const sends = await readSends(tools.node, fresh, ctx.clock.now())
  // The list comes from one node, and its sends may have been received long ago. If a send itself cannot confirm it,
  // ask more nodes.
  const doubtful = sends.filter(({ hash, confirmed, waits }) => confirmed && found.get(hash) === null && waits !== true)
  const places = await readPlaces(tools.node, doubtful)
  const listed = new Map([...found, ...doubtful.map(({ hash }) => [hash, places.get(hash)] as const)])
  for (const seen of sends) {
    const receivedAt = listed.get(seen.hash)
    if (!seen.confirmed || receivedAt === undefined) unsettled.add(seen.hash)
    if (receivedAt === undefined) {
      doubted.add(seen.to)
      continue
    }
    const send = { ...seen, receivedAt }
    try {
      await (send.confirmed ? creditSend(ctx, send) : detectSend(ctx, send))
      if (send.confirmed) tools.settled.add(send.hash)
    } catch (error) {
      failures.push(error)
    }
  }
  // One failing send makes the look incomplete, but must not hold up the other sends of its address.
  if (failures.length > 0) throw failures[0]
  return { unsettled, doubted }
}

/**
 * Looks are frequent while a payment is likely and rare when it would be late, with one look after each end. In whole seconds, so that
 * addresses share their turns.
 */
function nextScan(
  { clock }: CheckoutContext,
  { freshAt, expiry, paceMin }: { freshAt: number; expiry: number | undefined; paceMin: number },
): number {
  const now = clock.now()
  const inSeconds = (at: number) => Math.ceil(at / 1_000) * 1_000
  if (expiry === undefined) return inSeconds(now + PACE_LATE)
  const age = now - freshAt
  const pace = age < 10 * MINUTE ? paceMin : Math.min(PACE_MAX, Math.max(paceMin, Math.floor(age / 20)))
  const afterEnd = expiry + CATCH_UP_MARGIN
  return inSeconds(afterEnd > now ? Math.min(now + pace, afterEnd) : now + paceMin)
}

/** Whether any block has been detected for too long without becoming final. */
export async function hasStuck({ db, clock }: CheckoutContext): Promise<boolean> {
  return (await listStuck(db, { detectedBefore: clock.now() - CONFIRMATION_MILLISECONDS, limit: 1 })).length > 0
}

/** Reads overdue detected blocks again: credits final ones, gives up the others. */
export async function resolveStuck(ctx: CheckoutContext, tools: ScanTools, limit: number): Promise<void> {
  const now = ctx.clock.now()
  const stuck = await listStuck(ctx.db, { detectedBefore: now - CONFIRMATION_MILLISECONDS, limit })
  if (stuck.length === 0) return
  const hashes = [...new Set(stuck.map(({ detected }) => detected!.hash))]
  const sends = new Map((await readSends(tools.node, hashes, now)).map((send) => [send.hash, send]))
  const places = await readPlaces(tools.node, [...sends.values()])
  for (const { id: checkoutId, detected, address } of stuck) {
    const { hash } = detected!
    const send = sends.get(hash)
    const receivedAt = places.get(hash)
    try {
      if (!send?.confirmed) await undetect(ctx, checkoutId, hash)
      else if (receivedAt !== undefined) await creditSend(ctx, { ...send, receivedAt })
      // Received further back than the newest blocks: the poller finds at which height.
      else await hastenScans(ctx.db, [address], now)
    } catch (error) {
      if (isOutage(error)) throw error
      // Our own error: a send that cannot be credited must not hold up everybody else's.
      ctx.failures.failed('checkout.monitor', { checkoutId, hash, doing: 'stuck' })(error)
    }
  }
}

/** A matching send was seen but is not final: the payer's page shows it, and nothing else happens (contract 3). */
async function detectSend(ctx: CheckoutContext, send: IncomingSend): Promise<void> {
  for (const { checkout, reservation } of (await listClaims(ctx, send)).claims) {
    if (!checkout || reservation?.superseded || !waits(checkout, send)) continue
    const block: SeenBlock = { hash: send.hash, account: send.from, amountRaw: send.amountRaw }
    const detected = await inTx(ctx, async (tx) => {
      const held = await lockCheckout(tx.db, checkout.id)
      if (!held || !waits(held, send)) return false
      const now = tx.clock.now()
      const moved = await moveCheckout(tx, held, {
        reason: 'seen',
        block: send.hash,
        status: 'detected',
        detected: block,
        detectedAt: now,
        ...(held.seenAt === null && { seenAt: now }),
      })
      await announce(tx, moved, { type: 'payment.detected', dedupeKey: send.hash, block, confirmed: false })
      return true
    })
    if (detected) ctx.ports.announce(checkout.id, 'payment.detected')
  }
}

/** A send seen before the end is shown; whether it counts is decided when it is final. */
function waits({ status, expiresAt, mode, amountRaw, plans }: Checkout, send: IncomingSend): boolean {
  if (status !== 'pending' && status !== 'partial') return false
  const isDust = mode !== 'unique_amount' && amountRaw === undefined && plans.length === 0
  return timeOf(send) <= expiresAt && !(isDust && send.amountRaw < SMALLEST_PRICE)
}

/** The block did not become final: the checkout waits again. */
async function undetect(ctx: CheckoutContext, checkoutId: string, hash: string): Promise<void> {
  const changed = await inTx(ctx, async (tx) => {
    const held = await lockCheckout(tx.db, checkoutId)
    if (held?.status !== 'detected' || held.detected?.hash !== hash) return false
    await moveCheckout(tx, held, {
      reason: 'not confirmed',
      block: hash,
      status: undetected(held),
      detected: null,
      detectedAt: null,
    })
    return true
  })
  if (changed) ctx.ports.announce(checkoutId)
}
