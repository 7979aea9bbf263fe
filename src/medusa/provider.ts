import {
  type Gateway,
  GatewayError,
  type OwnCheckout,
  type WebhookEvent,
  createGateway,
  verifyWebhook,
} from '../client/index.ts'
import { NanoPaymentError, optionError, toMedusaError } from './errors.ts'
import { type NanoOptions, readOptions } from './options.ts'
import { type Price, scale, toPrice } from './price.ts'
import { refundOnce } from './refund.ts'
import { type Session, holdsMoney, readSession, requireSame, showPayment, statusOf, toSession } from './session.ts'
import type {
  Data,
  Logger,
  PricedInput,
  ProviderInput,
  ProviderOutput,
  RefundInput,
  StatusOutput,
  WebhookPayload,
  WebhookResult,
} from './shapes.ts'

/** Events reported by webhooks in addition to the payment itself. */
const FURTHER_EVENTS = ['payment.partial', 'payment.late', 'checkout.expired', 'refund.failed'] as const

/**
 * Payments with Nano in Medusa. A payment session is a checkout of the gateway. Whether it is paid is read from the
 * gateway each time, never from a browser or from stored data.
 */
export class NanoPaymentProvider {
  static readonly identifier = 'nano'
  /** Medusa recognises a payment provider by this member. */
  static readonly _isPaymentProvider = true

  readonly #options: NanoOptions
  readonly #gateway: Gateway
  readonly #container: { logger?: Logger }

  constructor(container: { logger?: Logger }, options: unknown) {
    this.#container = container
    this.#options = readOptions(options)
    this.#gateway = createGateway({ url: this.#options.url, key: this.#options.key })
  }

  /** Medusa calls this when the shop starts. */
  static validateOptions(options: unknown): void {
    readOptions(options)
  }

  getIdentifier(): string {
    return NanoPaymentProvider.identifier
  }

  async initiatePayment(input: PricedInput): Promise<StatusOutput & { id: string }> {
    const { data = {}, context = {} } = input
    const sessionId = String(context.idempotency_key ?? data.session_id ?? '')
    if (sessionId === '') throw new NanoPaymentError('invalid_data', 'A payment session has no id.')
    const price = toPrice(input.amount, input.currency_code)
    const session = await this.#open(sessionId, price, `medusa-${sessionId}`)
    return { id: session.checkout_id, status: 'pending', data: session }
  }

  /**
   * Another price needs another checkout. The old one is cancelled first, so that it cannot be paid any more; if it is
   * paid, it stays.
   */
  async updatePayment(input: PricedInput): Promise<StatusOutput> {
    const session = readSession(input.data)
    if (!session) return this.initiatePayment(input)
    const price = toPrice(input.amount, input.currency_code)
    const held = await this.#readKept(session)
    const isSamePrice = price.currency === session.currency && scale(price.amount) === scale(session.amount)
    if (held && isSamePrice && statusOf(held) !== 'canceled') return toOutput(input.data, held)
    if (held) await this.#end(held)
    const key = `medusa-${session.session_id}-${session.checkout_id}-${price.amount}-${price.currency}`
    return { status: 'pending', data: await this.#open(session.session_id, price, key) }
  }

  async deletePayment({ data }: ProviderInput): Promise<ProviderOutput> {
    const session = readSession(data)
    if (!session) return { data: data ?? {} }
    const held = await this.#readKept(session)
    return held ? toOutput(data, await this.#end(held)) : { data: data ?? {} }
  }

  /**
   * Before it calls us, Medusa stores whatever a visitor sends with a new session. So only `context` says which session
   * this is.
   */
  async authorizePayment({ data, context }: ProviderInput): Promise<StatusOutput> {
    const session = needSession(data)
    if (context?.idempotency_key !== session.session_id) {
      throw new NanoPaymentError('not_allowed', 'The data of this session is that of another.', {
        code: 'foreign_checkout',
      })
    }
    return toOutput(data, await this.#read(session))
  }

  async getPaymentStatus({ data }: ProviderInput): Promise<StatusOutput> {
    return toOutput(data, await this.#read(needSession(data)))
  }

  async retrievePayment({ data }: ProviderInput): Promise<ProviderOutput> {
    return toOutput(data, await this.#read(needSession(data)))
  }

  async capturePayment({ data }: ProviderInput): Promise<ProviderOutput> {
    const captured = toOutput(data, await this.#read(needSession(data)))
    if (captured.status === 'captured') return captured
    throw new NanoPaymentError('not_allowed', 'The payment has not arrived, or was given back.', { code: 'not_paid' })
  }

  async cancelPayment({ data }: ProviderInput): Promise<ProviderOutput> {
    const held = await this.#read(needSession(data))
    return toOutput(data, await this.#end(held))
  }

  async refundPayment({ data, amount, context }: RefundInput): Promise<ProviderOutput> {
    const session = needSession(data)
    const checkout = await this.#read(session)
    const refundId = context?.idempotency_key ?? `${session.session_id}-${session.refunds.length + 1}`
    const wanted = toPrice(amount, session.currency).amount
    const refund = await this.#ask(() =>
      refundOnce(
        this.#gateway,
        { session, checkout, options: this.#options },
        { refundId, amount: wanted, nowSeconds: this.nowSeconds() },
      ),
    )
    const known = { id: refund.id, refund_id: refundId, amount: wanted, nano_amount: refund.amount, hash: refund.hash }
    const refunds = [...session.refunds.filter(({ id }) => id !== refund.id), known]
    return { data: { ...data, ...showPayment(await this.#read(session)), refunds } }
  }

  /** A webhook only says which checkout to read; its state comes from the gateway. */
  async getWebhookActionAndData(payload: WebhookPayload): Promise<WebhookResult> {
    const event = readEvent(payload, this.#options.webhookSecret)
    const { session_id: sessionId } = event.metadata
    if (typeof sessionId !== 'string') return { action: 'not_supported' }
    if (event.type === 'payment.late' || event.type === 'refund.failed') {
      this.#warn(
        `${event.type}: checkout ${event.checkout_id} of payment session ${sessionId} needs a look at the gateway.`,
      )
      return { action: 'not_supported' }
    }
    const checkout = await this.#find(event.checkout_id)
    if (checkout?.metadata.session_id !== sessionId || checkout.price === null) return { action: 'not_supported' }
    return { action: statusOf(checkout), data: { session_id: sessionId, amount: checkout.price } }
  }

  /** Tests replace it. */
  protected nowSeconds(): number {
    return Math.floor(Date.now() / 1_000)
  }

  async #open(sessionId: string, price: Price, idempotencyKey: string): Promise<Session & Data> {
    const { address, title, mode, expire, webhookUrl, webhookSecret, successUrl, cancelUrl } = this.#options
    const withId = (url: string) => url.replaceAll('{session_id}', encodeURIComponent(sessionId))
    const fields = {
      address,
      amount: price.amount,
      currency: price.currency,
      metadata: { shop: 'medusa', session_id: sessionId },
      ...(title !== undefined && { title }),
      ...(mode !== undefined && { mode }),
      ...(expire !== undefined && { expire }),
      ...(successUrl !== undefined && { success_url: withId(successUrl) }),
      ...(cancelUrl !== undefined && { cancel_url: withId(cancelUrl) }),
      ...(webhookUrl !== undefined && {
        webhook_url: webhookUrl,
        webhook_secret: webhookSecret,
        webhook_events: [...FURTHER_EVENTS],
      }),
    }
    const made = await this.#ask(() => this.#gateway.checkouts.create(fields, { idempotencyKey }))
    return toSession(sessionId, price, made, this.#gateway.url)
  }

  async #read(session: Session): Promise<OwnCheckout> {
    const checkout = await this.#ask(() => this.#gateway.checkouts.read(session.checkout_id))
    requireSame(session, checkout)
    return checkout
  }

  /** Undefined if the gateway has deleted the unpaid checkout, so that there is nothing to cancel. */
  async #readKept(session: Session): Promise<OwnCheckout | undefined> {
    const checkout = await this.#find(session.checkout_id)
    if (checkout) requireSame(session, checkout)
    return checkout
  }

  /** Undefined if the checkout does not belong to this account. */
  async #find(checkoutId: string): Promise<OwnCheckout | undefined> {
    try {
      return await this.#gateway.checkouts.read(checkoutId)
    } catch (error) {
      if (error instanceof GatewayError && error.status === 404) return undefined
      throw toMedusaError(error)
    }
  }

  /** Makes sure that it can no longer be paid; refuses if it is paid. */
  async #end(held: OwnCheckout): Promise<OwnCheckout> {
    const ended = holdsMoney(held) ? held : await this.#ask(() => this.#gateway.checkouts.cancel(held.id))
    if (!holdsMoney(ended)) return ended
    const sum = ended.status === 'detected' ? 'A payment is on its way' : `${ended.amount_paid} nano have arrived`
    throw new NanoPaymentError(
      'not_allowed',
      `${sum} for checkout ${ended.id}: complete the order, or give the money back at the gateway.`,
      { code: 'already_paid' },
    )
  }

  async #ask<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      throw toMedusaError(error)
    }
  }

  #warn(message: string): void {
    this.#container.logger?.warn(message)
  }
}

const toOutput = (data: Data | undefined, checkout: OwnCheckout): StatusOutput => ({
  status: statusOf(checkout),
  data: { ...data, ...showPayment(checkout) },
})

function needSession(data: Data | undefined): Session {
  const session = readSession(data)
  if (session) return session
  throw new NanoPaymentError('invalid_data', 'The payment session has no checkout.', { code: 'no_checkout' })
}

/**
 * The event of a genuine webhook; throws otherwise. Its age does not matter: Medusa may process it long after its
 * arrival, and everything in it is checked with the gateway before it has any effect.
 */
function readEvent({ rawData, headers }: WebhookPayload, secret: string): WebhookEvent {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const nowSeconds = Number(named['webhook-timestamp'])
  try {
    const texts = named as Record<string, string | undefined>
    return verifyWebhook(rawData, texts, secret, { form: 'standard', nowSeconds })
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    throw optionError('webhookSecret', `a webhook came that it does not fit. ${error.message}`, error)
  }
}
