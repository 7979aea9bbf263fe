import { isOutage } from '../../../kernel/failures.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import type { NodePort } from '../../../kernel/ports.ts'
import { listRecorded } from '../payments-store.ts'
import type { Checkout, SeenBlock } from '../record.ts'
import { type CheckoutRoom, inQuietTx } from '../room.ts'
import { listNextExpiries, listStuck, lockCheckout } from '../store.ts'
import { type WatchedAddress, hastenScans, markScanned, updateFrontier } from '../watch-store.ts'
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
/** While events arrive, a look is a net below a net. */
const PACE_MIN_HEARING = 60_000
const PACE_MAX = 10 * MINUTE
const PACE_LATE = 6 * 60 * MINUTE
const RECORDED_AT_ONCE = 500
/** A block that is not final by then is looked at again, and given up when it still is not (contract 3). */
const CONFIRMATION_MILLISECONDS = 90_000

export interface ScanTools {
  node: NodePort
  /** Blocks that were final when they were looked at: nothing about them can change. */
  settled: { has(hash: string): boolean; add(hash: string): void }
  /** Whether the ledger tells of payments by itself at the moment. */
  hearsEvents(): boolean
}

/**
 * Looks at the ledger for what came to addresses, whether an event told us or not: credits what is final, shows what is not,
 * then ends what is over. An address counts as looked at only when all of that was done.
 */
export async function scanAddresses(
  ctx: CheckoutRoom,
  tools: ScanTools,
  { watched, leaseUntil }: { watched: readonly WatchedAddress[]; leaseUntil: number },
): Promise<void> {
  const startedAt = ctx.clock.now()
  const states = await readStates(
    tools.node,
    watched.map(({ address }) => address),
  )
  /** Sends, and at which height they were received; null while they wait. */
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
    // Nodes that do not agree: the look is made again, and nothing ends on its strength.
    if (newest !== frontier) incomplete.add(address)
  }
  const { unsettled, doubted } = await takeSends(ctx, tools, found)
  for (const address of doubted) incomplete.add(address)
  // What is received and not final is found by its receive alone, so that the next look begins before it.
  for (const [address, sends] of received) if (sends.some((hash) => unsettled.has(hash))) moved.delete(address)
  const paceMin = tools.hearsEvents() ? PACE_MIN_HEARING : PACE_MIN
  const complete = watched.filter(({ address }) => !incomplete.has(address))
  await finishScan(ctx, { watched: complete, moved, startedAt, leaseUntil, paceMin })
}

interface FinishedScan {
  watched: readonly WatchedAddress[]
  /** New frontiers by address. */
  moved: ReadonlyMap<string, string>
  startedAt: number
  leaseUntil: number
  paceMin: number
}

/** Everything that was there is credited: that is written down, and what is over may end now. */
async function finishScan(
  ctx: CheckoutRoom,
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
 * Credits or shows the sends among blocks. What is recorded or was looked at before is left alone. Answers which of them
 * are not settled yet, and of which addresses nodes do not agree whether they have received them.
 */
export async function takeSends(
  ctx: CheckoutRoom,
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
  // A list is one node's word, and what it lists may have been received meanwhile, or long ago.
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
  // One that cannot be credited makes the look incomplete, but must not hold up the others of its address.
  if (failures.length > 0) throw failures[0]
  return { unsettled, doubted }
}

/**
 * Often while a payment is likely, rarely when it would be late; in any case once after each end. In whole seconds, so
 * that addresses share their turns.
 */
function nextScan(
  { clock }: CheckoutRoom,
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

/** Whether any block was detected too long ago. */
export async function hasStuck({ db, clock }: CheckoutRoom): Promise<boolean> {
  return (await listStuck(db, { detectedBefore: clock.now() - CONFIRMATION_MILLISECONDS, limit: 1 })).length > 0
}

/** Looks again at blocks that were seen long ago: final, or given up. */
export async function resolveStuck(ctx: CheckoutRoom, tools: ScanTools, limit: number): Promise<void> {
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
      // Received long ago: the poller finds where.
      else await hastenScans(ctx.db, [address], now)
    } catch (error) {
      if (isOutage(error)) throw error
      // Ours: one that cannot be credited must not hold up those of everybody else.
      ctx.failures.failed('checkout.monitor', { checkoutId, hash, doing: 'stuck' })(error)
    }
  }
}

/** A matching send was seen and is not final: the payer is told, and nothing else happens (contract 3). */
async function detectSend(ctx: CheckoutRoom, send: IncomingSend): Promise<void> {
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
    if (detected) ctx.ports.tell(checkout.id, 'payment.detected')
  }
}

/** Seen in time is enough; whether it counts is decided when it is final. */
function waits({ status, expiresAt, mode, amountRaw, plans }: Checkout, send: IncomingSend): boolean {
  if (status !== 'pending' && status !== 'partial') return false
  const isDust = mode !== 'unique_amount' && amountRaw === undefined && plans.length === 0
  return timeOf(send) <= expiresAt && !(isDust && send.amountRaw < SMALLEST_PRICE)
}

/** The block did not become final after all: the checkout waits again. */
async function undetect(ctx: CheckoutRoom, checkoutId: string, hash: string): Promise<void> {
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
  if (changed) ctx.ports.tell(checkoutId)
}
