import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { READERS } from '../../kernel/fields.ts'
import { readFreeFlag } from '../../kernel/free-field.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import { INVISIBLE, INVISIBLE_BUT_LINES, given, readPictureUrl, readText, readUrl } from '../../kernel/shown-fields.ts'
import { EVENT_KINDS, isEventKind } from './event-kinds.ts'
import type { CheckoutMode } from './record.ts'
import { EMAIL_PATTERN } from '../accounts/index.ts'
import { badField, checkoutNotFound } from './errors.ts'
import { type BuyerRequest, readBuyer } from './buyers/request.ts'
import { readInvoice } from './invoices/fields.ts'
import type { Invoice } from './invoices/invoice.ts'
import { type Price, priceFieldOf, readPrice, readTotal } from './price-fields.ts'

export interface PlanRequest {
  title: string
  price: Price
  discount: number | false
}

/** Fields that set how a checkout looks and who is notified of it. */
export interface PresentationRequest {
  title?: string | null
  description?: string | null
  image?: string | null
  successUrl?: string | null
  cancelUrl?: string | null
  webhookUrl?: string | null
  /** Which of its two names the request used. */
  webhookField?: 'webhook_url' | 'webhook'
  webhookSecret?: string | null
  webhookEvents?: string[]
  webhookProof?: boolean
  notify?: string | null
  metadata?: JsonObject
  /** Visible to the merchant only. */
  note?: string | null
  /** Its total must equal the price. */
  invoice?: Invoice | null
}

export interface CheckoutRequest extends PresentationRequest {
  address: string | undefined
  currency: string
  price: Price | undefined
  plans: PlanRequest[]
  mode: CheckoutMode
  /** Whether to ask for the bare price, where no other checkout has reserved it; undefined where the request does not say. */
  barePrice?: boolean | undefined
  template: string | undefined
  /** What an order sets itself when it is made from a template. */
  order: Order | undefined
  /** Who buys, where the merchant knows. */
  buyer?: BuyerRequest | undefined
  /** The language of mails to the buyer. */
  language?: string
  /** How long it stays open; undefined means the default. */
  lifetimeMilliseconds?: number
}

interface Order {
  /** Reads the order's own price once the template's currency is known; the result names its field. */
  priceIn(currency: string, template: string | null): Price | undefined
  priceField: 'amount' | 'line_items' | 'shipping'
  currency: string | undefined
  mode: CheckoutMode | undefined
  modeField: 'mode' | 'random'
}

interface ReadingRules {
  currencies: readonly string[]
  plainHttpAllowed: boolean
}

type Body = Readonly<Record<string, unknown>>

const TITLE_MAX = 120
const DESCRIPTION_MAX = 1_000
export const PLANS_MAX = 20
const LIFETIME_MIN = 5 * 60_000
const LIFETIME_MAX = 30 * 24 * 3_600_000
export const METADATA_BYTES_MAX = 4_096
export const METADATA_KEYS_MAX = 50
const METADATA_DEPTH_MAX = 4
const MODES: readonly CheckoutMode[] = ['unique_amount', 'unique_address', 'generated_wallet']
const SECRET = /^[\x20-\x7e]{8,256}$/
const EMAIL = new RegExp(EMAIL_PATTERN)
const DANGEROUS_KEYS = new Set(['__proto__', 'constructor', 'prototype'])
const NANO_CODES = new Set(['NANO', 'XNO'])

/** Reads the fields of a new checkout and names the first wrong one (contract 2, Checkout request fields). */
export function readCheckout(body: Body, rules: ReadingRules): CheckoutRequest {
  const currency = readCurrency(body.currency, rules.currencies)
  const template = readTemplate(body.template)
  const lifetimeMilliseconds = readLifetime(body.expire)
  return {
    ...readPresentation(body, rules, currency),
    ...(lifetimeMilliseconds !== undefined && { lifetimeMilliseconds }),
    address: readAddress(body.address),
    currency,
    price: template === undefined ? readTotal(body, currency) : undefined,
    plans: readPlans(body.plans, currency),
    mode: readMode(body),
    barePrice: readBarePrice(body.random),
    template,
    order: template === undefined ? undefined : readOrder(body, currency),
    buyer: readBuyer(body.buyer),
  }
}

function readOrder(body: Body, currency: string): Order {
  const saysMode = given(body.mode) !== undefined || readFreeFlag('random', body.random) === true
  return {
    priceIn: (known, template) => readTotal(body, known, template),
    priceField: priceFieldOf(body),
    currency: given(body.currency) === undefined ? undefined : currency,
    mode: saysMode ? readMode(body) : undefined,
    modeField: given(body.mode) === undefined ? 'random' : 'mode',
  }
}

/** Reads only the fields in the body; `null` or an empty text removes a value. */
export function readPresentation(body: Body, rules: ReadingRules, currency: string): PresentationRequest {
  const read: PresentationRequest = {}
  const webhookField = body.webhook_url === undefined && body.webhook !== undefined ? 'webhook' : 'webhook_url'
  const webhook = body[webhookField]
  if (body.title !== undefined) read.title = readText('title', body.title, TITLE_MAX, INVISIBLE)
  if (body.description !== undefined) {
    read.description = readText('description', body.description, DESCRIPTION_MAX, INVISIBLE_BUT_LINES)
  }
  if (body.image !== undefined) read.image = readPictureUrl('image', body.image, rules)
  if (body.success_url !== undefined) read.successUrl = readUrl('success_url', body.success_url, rules)
  if (body.cancel_url !== undefined) read.cancelUrl = readUrl('cancel_url', body.cancel_url, rules)
  // The module that sends webhooks decides which addresses are allowed, for every scheme and port.
  if (webhook !== undefined) {
    read.webhookUrl = readUrl(webhookField, webhook, { ...rules, plainHttpAllowed: true })
    read.webhookField = webhookField
    const { webhook: other = webhook } = body
    if (other !== webhook) throw badField('webhook', 'webhook and webhook_url mean the same and have different values.')
  }
  if (body.webhook_secret !== undefined) read.webhookSecret = readSecret(body.webhook_secret)
  if (body.webhook_events !== undefined) read.webhookEvents = readEvents(body.webhook_events)
  if (body.webhook_proof !== undefined) read.webhookProof = readFreeFlag('webhook_proof', body.webhook_proof) ?? false
  if (body.notify !== undefined) read.notify = readNotify(body.notify)
  if (body.metadata !== undefined) read.metadata = readMetadata(body.metadata)
  if (body.note !== undefined) read.note = readText('note', body.note, DESCRIPTION_MAX, INVISIBLE_BUT_LINES)
  if (body.invoice !== undefined) read.invoice = readInvoice(body.invoice, currency)
  return read
}

/** Callers must not rely on proofs that are never made. What was asked for before the operator turned them off is not a new request. */
export function refuseUnproved(
  { proofs }: { proofs: { isOn: boolean } },
  { webhook_proof: asked }: Body,
  wasAsked = false,
): void {
  if (!proofs.isOn && !wasAsked && readFreeFlag('webhook_proof', asked) === true)
    throw badField('webhook_proof', 'webhook_proof needs PROOF=votes: this gateway makes no proofs of payments.')
}

export function readAddress(value: unknown): string | undefined {
  if (given(value) === undefined) return undefined
  const key = typeof value === 'string' ? fromAddress(value.trim()) : undefined
  if (key === undefined) throw badField('address', 'Bad account number', 'invalid_account')
  return toAddress(key)
}

export function readCurrency(value: unknown, known: readonly string[]): string {
  const currency = given(value)
  if (currency === undefined) return 'NANO'
  const code = typeof currency === 'string' ? currency.trim().toUpperCase() : ''
  if (NANO_CODES.has(code)) return 'NANO'
  if (!known.includes(code)) {
    throw badField('currency', `currency must be NANO or one of ${known.join(', ')}.`, 'invalid_currency')
  }
  return code
}

export function readLifetime(value: unknown): number | undefined {
  if (given(value) === undefined) return undefined
  const milliseconds = READERS.duration(value)
  if (milliseconds === undefined || milliseconds < LIFETIME_MIN || milliseconds > LIFETIME_MAX) {
    throw badField('expire', 'expire must be from 5 minutes to 30 days, such as 2 hours.', 'invalid_duration')
  }
  return milliseconds
}

export function readPlans(value: unknown, currency: string): PlanRequest[] {
  if (given(value) === undefined) return []
  if (!Array.isArray(value) || value.length > PLANS_MAX) {
    throw badField('plans', `plans must be a list of up to ${PLANS_MAX} plans.`)
  }
  return value.map((plan: unknown, at) => readPlan(`plans[${at}]`, plan, currency))
}

export function readPlan(path: string, plan: unknown, currency: string): PlanRequest {
  const field = (name: string) => `${path}.${name}`
  if (typeof plan !== 'object' || plan === null) throw badField(path, 'A plan is an object.')
  const { title, name, value, price, discount } = plan as Record<string, unknown>
  const shown = readText(field('title'), title ?? name, TITLE_MAX, INVISIBLE)
  if (shown === null) throw badField(field('title'), 'A plan needs a title.')
  const read = readPrice(field('value'), value ?? price, currency)
  if (read === undefined) throw badField(field('value'), 'A plan needs a value.', 'invalid_amount')
  return { title: shown, price: read, discount: readDiscount(field('discount'), discount) }
}

function readDiscount(field: string, value: unknown): number | false {
  const discount = given(value)
  if (discount === undefined || discount === false) return false
  const number = typeof discount === 'string' && /^[0-9]{1,3}(\.[0-9]+)?$/.test(discount) ? Number(discount) : discount
  if (typeof number !== 'number' || !(number >= 0 && number <= 100)) {
    throw badField(field, 'discount must be a number from 0 to 100.')
  }
  return number
}

export function readMode({ mode, random }: Body, otherwise: CheckoutMode = 'unique_amount'): CheckoutMode {
  const chosen = given(mode)
  const isRandom = readFreeFlag('random', random)
  if (chosen === undefined) return isRandom === true ? 'unique_amount' : otherwise
  const known = MODES.find((name) => name === chosen)
  if (known === undefined) throw badField('mode', `mode must be one of ${MODES.join(', ')}.`)
  if (isRandom === true && known !== 'unique_amount') {
    throw badField('random', 'random: true only works with mode unique_amount.')
  }
  return known
}

/** `random: false` asks for an amount without a tail (contract 2, rule 26). */
export function readBarePrice(random: unknown): boolean | undefined {
  const isRandom = readFreeFlag('random', random)
  return isRandom === undefined ? undefined : !isRandom
}

function readTemplate(value: unknown): string | undefined {
  if (given(value) === undefined) return undefined
  const id = typeof value === 'string' ? toCheckoutId(value) : undefined
  if (id === undefined) throw badField('template', 'template must be the id of a checkout.')
  return id
}

/** Reads an id in any form that links use (contract 2, rule 15); undefined when it cannot be an id. */
export function toCheckoutId(text: string): string | undefined {
  const id = text
    .trim()
    .toLowerCase()
    .replace(/^(?:id|pay|inv)_/, '')
  return /^[0-9a-f]{16}$/.test(id) ? id : undefined
}

/** The id in a path. */
export function idOf({ id = '' }: Readonly<Record<string, string>>): string {
  const known = toCheckoutId(id)
  if (known === undefined) throw checkoutNotFound()
  return known
}

export function readHash({ block_hash: hash }: Readonly<Record<string, unknown>>): string | undefined {
  if (hash === undefined || hash === null || hash === '') return undefined
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/i.test(hash)) {
    throw badField('block_hash', 'Invalid block hash', 'invalid_hash')
  }
  return hash.toUpperCase()
}

export function readSecret(value: unknown): string | null {
  const secret = given(value)
  if (secret === undefined) return null
  if (typeof secret !== 'string' || !SECRET.test(secret)) {
    throw badField('webhook_secret', 'webhook_secret must be 8 to 256 printable characters.')
  }
  return secret
}

export function readEvents(value: unknown): string[] {
  const events = given(value) ?? []
  if (!Array.isArray(events) || !events.every((event) => typeof event === 'string' && isEventKind(event))) {
    throw badField('webhook_events', `webhook_events must be a list of ${Object.keys(EVENT_KINDS).join(', ')}.`)
  }
  return [...new Set(events as string[])]
}

function readNotify(value: unknown): string | null {
  const email = given(value)
  if (email === undefined) return null
  if (typeof email !== 'string' || !EMAIL.test(email)) throw badField('notify', 'Invalid email', 'invalid_email')
  return email
}

export function readMetadata(value: unknown): JsonObject {
  const metadata = given(value) ?? {}
  const limits = `${METADATA_BYTES_MAX} bytes, ${METADATA_KEYS_MAX} members and ${METADATA_DEPTH_MAX} levels`
  const bad = () => badField('metadata', `metadata must be an object of up to ${limits}.`)
  if (typeof metadata !== 'object' || Array.isArray(metadata)) throw bad()
  let keys = 0
  const fits = (part: unknown, depth: number): boolean => {
    if (typeof part !== 'object' || part === null) return true
    if (depth > METADATA_DEPTH_MAX) return false
    keys += Array.isArray(part) ? 0 : Object.keys(part).length
    if (keys > METADATA_KEYS_MAX || Object.keys(part).some((key) => DANGEROUS_KEYS.has(key))) return false
    return Object.values(part).every((member) => fits(member, depth + 1))
  }
  if (!fits(metadata, 1) || Buffer.byteLength(JSON.stringify(metadata)) > METADATA_BYTES_MAX) throw bad()
  return metadata as JsonObject
}
