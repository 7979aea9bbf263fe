import type { OwnCheckout } from '../client/index.ts'

/** What the administrator's pages show of a payment. A refund's `claim_url` is left out, because its holder can take the money. */
export interface PaymentView {
  status: OwnCheckout['status']
  additional_status: OwnCheckout['additional_status']
  /** Nano, as all amounts here. */
  amount: string | null
  amount_paid: string
  amount_excess: string | null
  amount_refunded: string | null
  block_hash: string | null
  payer: string | null
  /** URL of the payment page, and of the gateway's own page for its merchant. */
  payment_page: string
  merchant_page: string
  refunds: Pick<NonNullable<OwnCheckout['refunds']>[number], 'id' | 'status' | 'amount' | 'hash' | 'failure'>[]
}

export const toView = (checkout: OwnCheckout, gatewayUrl: string): PaymentView => ({
  status: checkout.status,
  additional_status: checkout.additional_status,
  amount: checkout.amount,
  amount_paid: checkout.amount_paid,
  amount_excess: checkout.amount_excess ?? null,
  amount_refunded: checkout.amount_refunded ?? null,
  block_hash: checkout.block_hash,
  payer: checkout.payer,
  payment_page: checkout.browser,
  merchant_page: `${gatewayUrl}/dashboard/checkouts/${checkout.id}`,
  refunds: (checkout.refunds ?? []).map(({ id, status, amount, hash, failure }) => ({
    id,
    status,
    amount,
    hash,
    failure,
  })),
})
