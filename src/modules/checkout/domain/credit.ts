import { together } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import { type Raw, toRaw } from '../../../kernel/money.ts'
import type { Rate } from '../../../kernel/ports.ts'
import { type CheckoutContext, inQuietTx, notifyOwner } from '../context.ts'
import type { CheckoutChange } from '../changes-store.ts'
import { queueMail } from '../buyers/mail.ts'
import { findBuyer } from '../buyers/store.ts'
import { takeInvoiceNumber } from '../invoices/numbers.ts'
import { type Payment, insertPayment } from '../payments-store.ts'
import { type Reservation, listQuotes } from '../reservations-store.ts'
import { type Checkout, SERVICE, isFromLink } from '../record.ts'
import { lockCheckout, lockUnchanged } from '../store.ts'
import { BEFORE_LOOKS, findSighting, insertSightings } from '../sightings-store.ts'
import { announceCompleted } from './announce-completed.ts'
import { type IncomingSend, timeOf } from './baseline.ts'
import { type Claim, type Claims, listClaims } from './claims.ts'
import { type Decision } from './decide.ts'
import { type PaidRate, announce } from './events.ts'
import { parseFiat } from './fiat.ts'
import { SWEEP } from './generated-wallet.ts'
import { afterChange, moveCheckout } from './move.ts'
import { NOTIFY } from './notify.ts'
import { rateNow } from './quote.ts'
import { decideFor, planPriceE8, quoteOf } from './judge-send.ts'

/**
 * Credits a confirmed send to every owner it concerns. Safe to call any number of times: only the transaction that records the payment
 * changes anything, and there is one payment for each owner (contract 3, rules 3 and 4).
 */
export async function creditSend(ctx: CheckoutContext, send: IncomingSend): Promise<string[]> {
  const rates = new Map<string, Rate | undefined>()
  let credited = await creditUnlocked(ctx, send, rates)
  // Rates are fetched outside the transaction, because no transaction may wait for a network; most prices are in nano and need none.
  while ('missing' in credited) {
    await askRates(ctx, credited.missing, rates)
    credited = await creditUnlocked(ctx, send, rates)
  }
  const { changed, afterwards } = credited
  const paid = changed.filter(({ kind }) => kind !== 'unmatched').map(({ checkout }) => checkout.id)
  if (paid.length > 0) ctx.ports.proofs.prove(send.hash, paid)
  for (const { checkout, became } of changed) ctx.ports.announce(checkout.id, became)
  for (const act of afterwards) act()
  // Waking the job runner makes it query for jobs before the payments that wait, so it is woken only when there may be jobs.
  if (afterwards.length > 0 || changed.some(mayHaveJobs)) ctx.wakeJobs()
  return changed.map(({ checkout }) => checkout.id)
}

type Rates = ReadonlyMap<string, Rate | undefined>

interface CreditedAll {
  changed: Credited[]
  /** Callbacks to run once the transaction is committed. */
  afterwards: (() => void)[]
}

type CreditedOrNot = CreditedAll | { missing: string[] }

/** Thrown if a checkout has changed, or the payment was recorded, since the claims were read. */
class Overtaken extends Error {}

/**
 * Reads who claims the send without taking locks, so that all writes fit into one message. If something has changed meanwhile, nothing is stored, and the
 * work is repeated with locks.
 */
async function creditUnlocked(ctx: CheckoutContext, send: IncomingSend, rates: Rates): Promise<CreditedOrNot> {
  const found = await listClaims(ctx, send)
  if (found.claims.length === 0 && !found.isPassing) return { changed: [], afterwards: [] }
  // A checkout made meanwhile may be what this payment is for, and no row of it is locked.
  if (found.claims.some(({ checkout }) => !checkout)) return creditAll(ctx, send, rates)
  try {
    return await creditAll(ctx, send, rates, found)
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error
    return creditAll(ctx, send, rates)
  }
}

/** Credits every owner in one transaction; when a rate that a price needs is missing, it changes nothing and names the rate. */
function creditAll(ctx: CheckoutContext, send: IncomingSend, rates: Rates, found?: Claims): Promise<CreditedOrNot> {
  return inQuietTx(ctx, async (tx) => {
    const { claims, isPassing } = found ?? (await listClaims(tx, send))
    const currencies = new Set(claims.map(({ checkout }) => checkout?.currency ?? 'NANO'))
    const missing = [...currencies].filter((currency) => currency !== 'NANO' && !rates.has(currency))
    if (missing.length > 0) return { missing }
    // A freshly synced node will report another time, and requests are forgotten: what was proved once is stored.
    // But not when a checkout with its own look claims the send: a wrong time must not take the payment from it.
    if (isPassing && claims.length === 0)
      await insertSightings(tx.db, { address: send.to, hashes: [send.hash], look: BEFORE_LOOKS })
    const all: CreditedAll = { changed: [], afterwards: [] }
    for (const claim of claims) {
      const credited = await creditOwner(tx, send, claim, { rates, found })
      if (!credited) continue
      all.changed.push(credited)
      if (claim.owner === SERVICE) all.afterwards.push(await settleSale(tx, send, credited))
    }
    return all
  })
}

const mayHaveJobs = ({ checkout: { webhookUrl, webhookProof, notify, walletId }, mails }: Credited) =>
  webhookUrl !== null || webhookProof || notify !== null || walletId !== null || mails

interface Credited {
  /** The checkout before the payment. */
  checkout: Checkout
  plan: number | null
  kind: Payment['kind']
  /** The type of the event, or `payment.` with the kind of the payment, for the operator. */
  became: string
  /** Whether its buyer gets a mail. */
  mails: boolean
}

/** What the service sells is delivered in the transaction that records the payment, or else the money is refunded. */
function settleSale(tx: CheckoutContext, send: IncomingSend, { checkout, plan }: Credited): Promise<() => void> {
  const { hash: blockHash, from: payer, amountRaw } = send
  return tx.ports.sales.settle(tx, { checkoutId: checkout.id, plan, blockHash, payer, amountRaw, at: timeOf(send) })
}

/** Fetches today's rates for fiat prices; without a rate, the merchant decides about the payment. */
async function askRates(
  ctx: CheckoutContext,
  currencies: readonly string[],
  rates: Map<string, Rate | undefined>,
): Promise<void> {
  for (const currency of currencies) {
    rates.set(currency, await rateNow(ctx, currency).catch(ctx.failures.failed('checkout.rate')))
  }
}

async function creditOwner(
  tx: CheckoutContext,
  send: IncomingSend,
  { owner, checkout: claimed, reservation }: Claim,
  { rates, found }: { rates: Rates; found: Claims | undefined },
): Promise<Credited | undefined> {
  const { hash, from, to, amountRaw } = send
  const payment: Payment = {
    owner,
    blockHash: hash,
    checkoutId: claimed?.id ?? null,
    kind: 'unmatched',
    address: to,
    payer: from,
    amountRaw,
    plan: null,
    rate: null,
    rateSource: null,
    at: timeOf(send),
    createdAt: tx.clock.now(),
  }
  const checkout = claimed && (!found ? await lockCheckout(tx.db, claimed.id) : { ...claimed, seq: claimed.seq + 1 })
  if (!checkout) {
    await insertPayment(tx.db, payment)
    notifyOwner(tx, { owner, keyId: null })
    return undefined
  }
  const quotes = checkout.currency === 'NANO' ? [] : await listQuotes(tx.db, checkout.id)
  const valuation = { send, quotes, rate: rates.get(checkout.currency) }
  const decision = decideFor(checkout, reservation, valuation)
  const quote = quoteOf(reservation, valuation)
  const exactPlan = reservation && reservation.plan >= 0 ? reservation.plan : undefined
  const plan = decision.plan ?? exactPlan ?? null
  const recorded = {
    ...payment,
    kind: decision.kind,
    plan,
    rate: quote?.rate ?? valuation.rate?.rate ?? null,
    rateSource: quote?.source ?? valuation.rate?.source ?? null,
  }
  const holding = found && requireUnchanged(tx, claimed, { send, sightedAt: found.sightedAt })
  const recording = insertPayment(tx.db, recorded)
  // Another instance has recorded this payment.
  if (!found && !(await recording)) return undefined
  const { rate, rateSource } = recorded
  const paidRate = rate === null ? null : { rate, source: rateSource }
  const [, , mails] = await together([
    holding,
    recording.then(requireNew),
    applyDecision(tx, checkout, { send, decision, plan, reservation, rate: paidRate }),
  ])
  return { checkout, plan, kind: decision.kind, became: decision.event ?? `payment.${decision.kind}`, mails }
}

/**
 * Several statements have read the claims. A look that saw the send, and a checkout made after it, may have come in
 * between.
 */
async function requireUnchanged(
  { db }: CheckoutContext,
  claimed: Checkout,
  { send, sightedAt }: { send: IncomingSend; sightedAt: number | undefined },
): Promise<void> {
  const [isHeld, sighting] = await together([lockUnchanged(db, claimed), findSighting(db, send.to, send.hash)])
  if (!isHeld || sighting !== sightedAt) throw new Overtaken('The checkout has changed.')
}

function requireNew(isNew: boolean): void {
  if (!isNew) throw new Overtaken('The payment is recorded.')
}

interface Applied {
  send: IncomingSend
  decision: Decision
  plan: number | null
  reservation: Reservation | undefined
  /** The rate by which the price was converted. */
  rate: PaidRate | null
}

/** Changes state, timeline, event, email and sweep together, or nothing; returns whether the buyer gets a mail. */
async function applyDecision(
  tx: CheckoutContext,
  checkout: Checkout,
  { send, decision, plan, reservation, rate }: Applied,
): Promise<boolean> {
  const { kind, status, additional, event, fullRaw } = decision
  const { hash, from, amountRaw } = send
  const completes = event === 'payment.completed'
  const now = tx.clock.now()
  const change: CheckoutChange = {
    ...(kind !== 'unmatched' && {
      status: status === 'detected' ? undetected(checkout) : status,
      additional,
      paidRaw: toRaw(checkout.paidRaw + amountRaw),
      detected: null,
      detectedAt: null,
    }),
    ...(checkout.seenAt === null && { seenAt: now }),
    ...(kind !== 'unmatched' &&
      checkout.status !== 'complete' &&
      askedFor(checkout, plan, { amountRaw: reservation?.amountRaw ?? fullRaw, reservation })),
    ...(completes && {
      paidAt: now,
      blockHash: hash,
      payer: from,
      plan,
      ...boughtPrice(checkout, plan, reservation?.chosen),
      ...(await takeInvoiceNumber(tx.db, checkout)),
    }),
  }
  const reason = kind === 'counted' ? 'paid' : kind === 'late' ? 'paid late' : 'not counted'
  const moving = moveCheckout(tx, checkout, { reason, block: hash, ...change })
  // Everywhere the row of the link is locked before that of the account's events.
  if (isFromLink(checkout)) await moving
  const moved = afterChange(checkout, change)
  const paid = { block: { hash, account: from, amountRaw }, rate }
  const [, , mails = false] = await together([
    moving,
    event &&
      (completes ? announceCompleted(tx, moved, paid) : announce(tx, moved, { type: event, dedupeKey: hash, ...paid })),
    completes ? followCompletion(tx, moved) : undefined,
    // A partial payment stays in the wallet until the rest arrives; what comes after the end is swept at once.
    !completes && kind !== 'unmatched' && moved.status !== 'partial' ? enqueueSweep(tx, moved) : undefined,
  ])
  return mails
}

/** The price asked when the paid amount was reserved, not a later quote or an amount that another visitor chose since. */
function askedFor(
  { plans }: Checkout,
  plan: number | null,
  { amountRaw, reservation }: { amountRaw: Raw | undefined; reservation: Reservation | undefined },
): Pick<CheckoutChange, 'amountRaw' | 'plans' | 'chosen'> {
  if (amountRaw === undefined) return {}
  const bought = plans.map((one, at) => (at === plan ? { ...one, amountRaw } : one))
  const chosen = reservation?.chosen ?? undefined
  return {
    ...(plan === null ? { amountRaw } : { plans: bought }),
    ...(chosen !== undefined && { chosen }),
  }
}

/** With plans, this is the price of the plan that was bought. */
export function boughtPrice(
  checkout: Checkout,
  plan: number | null,
  chosen: string | null = checkout.chosen,
): { priceE8?: bigint } {
  if (checkout.currency === 'NANO') return {}
  const priceE8 = plan !== null ? planPriceE8(checkout, plan) : chosen === null ? undefined : parseFiat(chosen)
  return priceE8 === undefined ? {} : { priceE8 }
}

/** The state of a checkout whose detected block turned out not to count. */
export const undetected = ({ paidRaw }: Checkout) => (paidRaw > 0n ? 'partial' : 'pending')

/** Queues what a completion causes beside its event: mails and sweep, all safe to repeat; returns whether the buyer gets one. */
export async function followCompletion(tx: CheckoutContext, checkout: Checkout): Promise<boolean> {
  if (checkout.notify !== null) {
    await enqueue(tx, { kind: NOTIFY, payload: { checkoutId: checkout.id }, key: checkout.id })
  }
  await enqueueSweep(tx, checkout)
  const hasEmail = Boolean((await findBuyer(tx.db, checkout.id))?.email)
  if (hasEmail) await queueMail(tx, { checkoutId: checkout.id, about: 'paid' })
  return hasEmail
}

/** Queues the sweep; does nothing for a checkout without a wallet of its own. */
export async function enqueueSweep(tx: CheckoutContext, { id, walletId }: Checkout): Promise<void> {
  if (walletId !== null) await enqueue(tx, { kind: SWEEP, payload: { checkoutId: id }, key: id })
}
