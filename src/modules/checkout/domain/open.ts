import type { Caller } from '../../../kernel/ctx.ts'
import { together } from '../../../kernel/in-tx.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type Raw, toRaw } from '../../../kernel/money.ts'
import { bytesToHex } from '../../../kernel/nano/hex.ts'
import type { Rate } from '../../../kernel/ports.ts'
import type { AddressLook } from '../ports.ts'
import { findPayout } from '../../accounts/index.ts'
import type { NewWallet } from '../../wallets/index.ts'
import { type CheckoutContext, inQuietTx, notifyOwner } from '../context.ts'
import { badField, tooManyOpen } from '../errors.ts'
import { saveNamed } from '../buyers/store.ts'
import { requireSameTotal } from '../invoices/invoice.ts'
import { requireFreeNumber } from '../invoices/numbers.ts'
import { ANONYMOUS, type Checkout, NO_PLAN, SERVICE, isByHolder } from '../record.ts'
import { countOpen, findCheckout, insertCheckout } from '../store.ts'
import { insertTimeline } from '../changes-store.ts'
import { countReservations } from '../reservations-store.ts'
import { secretContext } from '../secret-context.ts'
import { insertSightings, listUnsighted } from '../sightings-store.ts'
import { saveWatched, saveWatcher } from '../watch-store.ts'
import { type Price } from '../price-fields.ts'
import { type CheckoutRequest } from '../wire-fields.ts'
import { admit, madeWithOf, requireBound } from './admit.ts'
import { NEIGHBOURS_COUNTED_MAX } from './amounts.ts'
import { NOTHING_THERE } from './baseline.ts'
import { alongCheckoutWallet } from './generated-wallet.ts'
import {
  AmountTaken,
  type NamedBy,
  type Near,
  likelyAmount,
  requireOwnAddress,
  reserveFilled,
  reserveNear,
  takeLikely,
} from './reserve.ts'
import { quotePrices, rateIfKnown } from './quote.ts'
import { fromTemplate, ownerOf } from './from-template.ts'

/** How long payments are still recorded after the end of a checkout (contract 3, rule 2). */
const LATE_MILLISECONDS = 7 * 24 * 3_600_000

/** When the poller first looks; a payer who pays sooner is found by the ledger's events. */
const FIRST_SCAN = 15_000

export interface Opened {
  checkout: Checkout
  /** The rate by which the price was converted. */
  rate: Rate | undefined
  /** The signing secret made for a caller without an account, who has no other; shown once. */
  webhookSecret: string | undefined
}

/** Makes a checkout and reserves everything it needs in one transaction. The same idempotency key returns the same checkout. */
export async function openCheckout(
  ctx: CheckoutContext,
  caller: Caller,
  asked: CheckoutRequest,
  idempotency?: Idempotency,
): Promise<Opened> {
  if (idempotency?.made) return reopen(ctx, idempotency.made as unknown as MadeCheckout)
  admit(caller, asked)
  const owner = ownerOf(caller)
  const request = asked.template === undefined ? asked : await fromTemplate(ctx, caller, asked)
  // The payer types an amount in the currency on the page; in the other modes any amount of nano pays, so no conversion is possible.
  if (!hasPrice(request) && request.mode !== 'unique_amount' && request.currency !== 'NANO') {
    throw badField('currency', `Without a price, currency only works with mode unique_amount.`, 'invalid_currency')
  }
  const address = request.address ?? (await payoutOf(ctx, caller, request))
  if (request.invoice) requireSameTotal(request.invoice, request)
  if (request.webhookUrl) await ctx.ports.checkWebhookUrl(request.webhookUrl, request.webhookField)
  const rate = hasPrice(request) ? await rateIfKnown(ctx, request.currency) : undefined
  requireBound(caller, { ...request, address })
  const keyId = caller.kind === 'account' ? (caller.keyId ?? null) : null
  const maker = { owner, keyId, madeWith: madeWithOf(caller) }
  const [near] = await together([
    countNear(ctx, { ...request, address, owner }),
    // Checked again when the checkout is stored. Checking here as well keeps callers over the limit from causing
    // requests to nodes.
    request.mode === 'generated_wallet' ? undefined : refuseTooMany(ctx, { ...maker, address }),
  ])
  // Read before the checkout gets its creation time: whatever the look finds is older than the checkout.
  const seen = request.mode === 'generated_wallet' ? NOTHING_THERE : await ctx.ports.look(address)
  const namedBy = caller.kind === 'account' ? caller.access : 'anonymous'
  const barePrice = request.barePrice === true && namedBy === 'secret-key'
  const draft = toDraft(ctx, maker, { ...request, barePrice, address })
  const secret = request.webhookSecret ?? generatedSecret(ctx, caller, request)
  const encrypted = secret ? ctx.ports.secrets.encrypt(secretContext(draft.id), secret) : null
  const webhookSecret = request.webhookSecret ? undefined : (secret ?? undefined)
  const make = (wallet?: NewWallet) => {
    const own = wallet && { address: wallet.address, walletId: wallet.id }
    const alongside = async (tx: CheckoutContext) => {
      await wallet?.keep(tx.db)
      await idempotency?.record(tx.db, toMade(draft.id, rate, webhookSecret))
    }
    return store(ctx, { ...draft, webhookSecret: encrypted, ...own }, request, { rate, seen, namedBy, near, alongside })
  }
  const checkout = await (request.mode === 'generated_wallet' ? alongCheckoutWallet(ctx, draft, make) : make())
  return { checkout, rate, webhookSecret }
}

/** The price and the number of reserved amounts at the address; undefined unless the checkout has one price in nano. */
async function countNear(
  { db }: CheckoutContext,
  { address, owner, mode, price, plans }: CheckoutRequest & { address: string; owner: string },
): Promise<Near | undefined> {
  if (mode !== 'unique_amount' || price?.kind !== 'nano' || plans.length > 0) return undefined
  return { price: price.raw, neighbours: await countReservations(db, { address, owner, max: NEIGHBOURS_COUNTED_MAX }) }
}

/** The address of a caller who has named none: the one where the account's money goes. */
async function payoutOf(ctx: CheckoutContext, caller: Caller, { mode }: CheckoutRequest): Promise<string> {
  if (caller.kind !== 'account') throw badField('address', 'address is required')
  if (mode === 'unique_address') {
    throw badField('address', 'address is required with unique_address: it is for this checkout alone.')
  }
  return requirePayout(ctx, caller.accountId)
}

/** Refuses a request without an address while the account has no payout address. */
export async function requirePayout({ db, ports }: CheckoutContext, accountId: string): Promise<string> {
  const payout = await findPayout(db, accountId)
  if (payout !== null) return payout
  const place = ports.links.own('/dashboard/payout')
  throw badField('address', `address is required, until you say at ${place} where your money goes.`)
}

/** What the idempotency key stores about the checkout it made. */
type MadeCheckout = { id: string; rate: Rate | null; webhookSecret: string | null }

const toMade = (id: string, rate: Rate | undefined, webhookSecret: string | undefined) =>
  ({ id, rate: rate ? { ...rate } : null, webhookSecret: webhookSecret ?? null }) satisfies MadeCheckout

async function reopen(ctx: CheckoutContext, { id, rate, webhookSecret }: MadeCheckout): Promise<Opened> {
  const checkout = (await findCheckout(ctx.db, id))!
  return { checkout, rate: rate ?? undefined, webhookSecret: webhookSecret ?? undefined }
}

const hasPrice = ({ price, plans }: CheckoutRequest) => price !== undefined || plans.length > 0

/** Events are always signed, and a caller without an account has no secret, so one is generated (contract 6, rule 7). */
function generatedSecret(
  { random }: CheckoutContext,
  caller: Caller,
  { webhookUrl }: CheckoutRequest,
): string | undefined {
  if (caller.kind === 'account' || !webhookUrl) return undefined
  return `whsec_${Buffer.from(random.bytes(24)).toString('base64')}`
}

export function toDraft(
  { random, clock, ports }: CheckoutContext,
  { owner, keyId, madeWith = null }: Pick<Checkout, 'owner' | 'keyId'> & Partial<Pick<Checkout, 'madeWith'>>,
  request: CheckoutRequest & { address: string },
): Checkout {
  const now = clock.now()
  const expiresAt = now + (request.lifetimeMilliseconds ?? ports.rules.lifetimeMilliseconds)
  return {
    id: bytesToHex(random.bytes(8)).toLowerCase(),
    owner,
    keyId,
    mode: request.mode,
    status: 'pending',
    additional: 'none',
    address: request.address,
    merchantAddress: request.address,
    walletId: null,
    currency: request.currency,
    price: request.price?.text ?? null,
    priceE8: request.price?.kind === 'fiat' ? request.price.e8 : undefined,
    amountRaw: undefined,
    paidRaw: toRaw(0n),
    plans: request.plans.map(({ title, price, discount }) => ({
      title,
      value: price.text,
      discount,
      amountRaw: undefined,
    })),
    plan: null,
    title: request.title ?? null,
    description: request.description ?? null,
    image: request.image ?? null,
    successUrl: request.successUrl ?? null,
    cancelUrl: request.cancelUrl ?? null,
    webhookUrl: request.webhookUrl ?? null,
    webhookSecret: null,
    webhookEvents: request.webhookEvents ?? [],
    webhookProof: request.webhookProof === true,
    notify: request.notify ?? null,
    metadata: request.metadata ?? {},
    seq: 1,
    createdAt: now,
    expiresAt,
    watchedUntil: expiresAt + LATE_MILLISECONDS,
    servedAt: null,
    seenAt: null,
    paidAt: null,
    hiddenAt: null,
    notifiedAt: null,
    blockHash: null,
    payer: null,
    detected: undefined,
    detectedAt: null,
    look: null,
    lookHeight: null,
    note: request.note ?? null,
    chosen: null,
    refundedRaw: toRaw(0n),
    invoice: request.invoice ?? null,
    invoiceNumber: null,
    barePrice: request.barePrice === true && request.mode === 'unique_amount',
    madeWith,
  }
}

interface Alongside {
  rate?: Rate | undefined
  /** What is on its address already; none of it will ever count for this checkout. */
  seen: AddressLook
  namedBy: NamedBy
  /** For one price in nano, where amounts identify payments. */
  near?: Near | undefined
  alongside?(tx: CheckoutContext, checkout: Checkout): Promise<void>
}

/** Reserves what a draft needs and stores it; from then on its address is watched. */
export async function store(
  ctx: CheckoutContext,
  draft: Checkout,
  request: CheckoutRequest,
  { near, ...given }: Alongside,
): Promise<Checkout> {
  const likely = near && likelyAmount(ctx, draft, near)
  const opened = await insertAll(ctx, draft, request, { ...given, likely }).catch((error: unknown) => {
    if (!(error instanceof AmountTaken)) throw error
    return insertAll(ctx, draft, request, given)
  })
  ctx.ports.watch(opened.address)
  return opened
}

/** Tries a likely amount with everything in one message; if the amount is taken, nothing is stored. */
function insertAll(
  ctx: CheckoutContext,
  draft: Checkout,
  request: CheckoutRequest,
  { rate, seen, namedBy, likely, alongside }: Omit<Alongside, 'near'> & { likely?: Raw | undefined },
): Promise<Checkout> {
  return inQuietTx(ctx, async (tx) => {
    const terms = { ...request, rate, seq: 1, namedBy }
    const amounts = likely === undefined ? await priceTerms(tx, draft, terms) : { amountRaw: likely }
    const checkout: Checkout = { ...draft, ...amounts, lookHeight: seen.height }
    const { id, createdAt: at, status, additional } = checkout
    const [, look] = await together([
      likely === undefined ? undefined : takeLikely(tx, checkout, likely),
      watchFrom(tx, draft, seen),
      insertCheckout(tx.db, checkout),
      insertTimeline(tx.db, id, { seq: 1, status, additional, reason: 'created', blockHash: null, at }),
      // The transaction has locked the address by now, so each of several checkouts made at once counts those before
      // it.
      refuseTooMany(tx, draft, { stored: 1 }),
      requireOwnAddress(tx, checkout, { namedBy, seen }),
      requireFreeNumber(tx.db, tx.ports.engine, checkout),
      saveNamed(tx.db, checkout, request),
    ])
    const made = { ...checkout, ...look }
    await alongside?.(tx, made)
    notifyOwner(tx, made)
    return made
  })
}

type Look = Pick<Checkout, 'look' | 'lookHeight'>

/** Starts watching the address of a checkout and stores what is there already. */
export async function watchFrom(
  { db, clock }: CheckoutContext,
  { address, owner, expiresAt, watchedUntil }: Checkout,
  seen: AddressLook,
): Promise<Look> {
  const { height, waiting } = seen
  const now = clock.now()
  const nextScanAt = Math.min(now + FIRST_SCAN, expiresAt)
  const [look] = await together([
    saveWatched(db, { address, now, watchedUntil, nextScanAt, seen }),
    saveWatcher(db, { address, owner, now, watchedUntil, height }),
  ])
  await insertSightings(db, { address, hashes: await listUnsighted(db, address, waiting), look })
  return { look, lookHeight: height }
}

/** Refuses one checkout too many; `stored` are those that this transaction has just written, which the count includes. */
export async function refuseTooMany(
  { db, ports }: CheckoutContext,
  { address, owner, keyId, madeWith }: Pick<Checkout, 'address' | 'owner' | 'keyId' | 'madeWith'>,
  { stored = 0 } = {},
): Promise<void> {
  // The service is paid for everything at one address; the selling module limits each buyer.
  if (owner === SERVICE) return
  const { openAnonymousMax, openMax, openPublicKeyMax } = ports.rules
  if (openMax === 0 && openPublicKeyMax === 0 && owner !== ANONYMOUS) return
  // Anybody can use a public key or a link: their checkouts are counted separately, so they cannot use up the merchant's own limit.
  const isPublic = madeWith !== null || isByHolder({ keyId })
  const max = owner === ANONYMOUS ? openAnonymousMax : isPublic ? openPublicKeyMax : openMax
  if (max === 0) return
  const bound = max + stored
  const counted = { address, owner, keyId: isPublic ? keyId! : undefined, max: bound }
  if ((await countOpen(db, counted)) >= bound) throw tooManyOpen(max, isPublic)
}

interface Terms extends Pick<CheckoutRequest, 'price' | 'plans'> {
  rate: Rate | undefined
  namedBy: NamedBy
  /** The number of the quote, where the price is not in nano. */
  seq: number
}

/** The amounts asked for now. A price that cannot be converted at the moment gets its amount when the page is opened. */
export function priceTerms(
  tx: CheckoutContext,
  checkout: Checkout,
  { rate, seq, ...terms }: Terms,
): Promise<Pick<Checkout, 'amountRaw' | 'plans'>> {
  if (checkout.currency === 'NANO') return priceInNano(tx, checkout, terms)
  if (rate) return quotePrices(tx, checkout, { rate, seq })
  return Promise.resolve({ amountRaw: undefined, plans: checkout.plans })
}

/** Amounts of prices in nano: unique where amounts identify payments, the bare price where addresses do. */
async function priceInNano(
  ctx: CheckoutContext,
  checkout: Checkout,
  { price, plans, namedBy }: Pick<Terms, 'price' | 'plans' | 'namedBy'>,
): Promise<Pick<Checkout, 'amountRaw' | 'plans'>> {
  const settle = async (price: Price, plan: number): Promise<Raw> => {
    if (price.kind === 'wildcards') return reserveFilled(ctx, checkout, { text: price.text, plan, namedBy })
    if (price.kind === 'fiat') throw new Error('A fiat price needs a rate.')
    if (checkout.mode !== 'unique_amount') return price.raw
    return reserveNear(ctx, checkout, { price: price.raw, plan, quote: null })
  }
  const priced = []
  for (const [at, plan] of checkout.plans.entries()) {
    priced.push({ ...plan, amountRaw: await settle(plans[at]!.price, at) })
  }
  const amountRaw = price === undefined ? priced[0]?.amountRaw : await settle(price, NO_PLAN)
  return { amountRaw, plans: priced }
}
