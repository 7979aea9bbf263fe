import type { TestContext } from 'node:test'
import { NanoPaymentProvider } from '../../src/medusa/index.ts'
import { signBody } from '../../src/modules/webhooks/domain/sign-body.ts'
import { listEvents } from '../support/checkout-steps.ts'
import { type RefundShop, openRefundShop } from '../support/refund-steps.ts'

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

export type Session = Record<string, unknown> & {
  session_id: string
  checkout_id: string
  checkout_status: string
  refunds: { id: string; refund_id: string; amount: string }[]
}

export interface MedusaShop extends RefundShop {
  provider: NanoPaymentProvider
  warnings: string[]
  options: Record<string, string>
  /** Begins a session as Medusa does for a visitor, who may add data. */
  begin(id: string, amount: unknown, data?: object): Promise<Session>
  /** Pays the amount of a session's checkout. */
  pay(session: Session): Promise<void>
  /** Every event of a checkout, as posted to the shop. */
  hooks(checkoutId: string, secret?: string): Promise<Hook[]>
}

export interface Hook {
  data: Record<string, unknown>
  rawData: Buffer
  headers: Record<string, string>
}

/** The payment provider of a Medusa shop, and a gateway with a ledger, all on the test's clock. */
export async function openMedusaShop(t: TestContext, more: Record<string, string> = {}): Promise<MedusaShop> {
  const steps = await openRefundShop(t)
  const { shop, merchant, wallet, world } = steps
  class TurnedProvider extends NanoPaymentProvider {
    protected override nowSeconds() {
      return Math.floor(world.clock.now() / 1_000)
    }
  }
  const warnings: string[] = []
  const options = { url: shop.url, key: merchant.key, address: wallet, webhookSecret: SECRET, ...more }
  const provider = new TurnedProvider({ logger: { warn: (message) => void warnings.push(message) } }, options)
  return {
    ...steps,
    provider,
    warnings,
    options,
    async begin(id, amount, data = {}) {
      const made = await provider.initiatePayment({ amount, currency_code: 'eur', data: { ...data, session_id: id } })
      return { ...data, ...made.data } as Session
    },
    async pay({ checkout_id: id }) {
      // The page shows the current amount in nano.
      const page = await shop.rest('GET', `/checkout/${id}`)
      const { address, amount_raw: raw } = page.json()
      await world.pay(address!, raw!)
    },
    async hooks(checkoutId, secret = SECRET) {
      const timestamp = Math.floor(world.clock.now() / 1_000)
      return (await listEvents(shop, checkoutId)).map(({ body }) => {
        const data = JSON.parse(body) as { id: string }
        const headers = signBody({ id: data.id, timestamp, body, secrets: [secret] })
        return { data, rawData: Buffer.from(body), headers }
      })
    },
  }
}
