import type { Migrations } from '../../../kernel/db.ts'
import { up as checkouts } from './0008-checkouts.ts'
import { up as checkoutLooks } from './0020-checkout-looks.ts'
import { up as checkoutSums } from './0023-checkout-sums.ts'
import { up as refunds } from './0027-refunds.ts'
import { up as invoices } from './0036-invoices.ts'
import { up as errands } from './0045-errands.ts'
import { up as ownAddresses } from './0048-own-addresses.ts'
import { up as refundValues } from './0054-refund-values.ts'
import { up as paidAgain } from './0055-paid-again.ts'
import { up as madeWith } from './0056-made-with.ts'
import { up as paymentProofs } from './0058-payment-proofs.ts'
import { up as webhookProofs } from './0060-webhook-proofs.ts'
import { up as buyers } from './0067-buyers.ts'

export const CHECKOUT_MIGRATIONS: Migrations = {
  '0008-checkouts': checkouts,
  '0020-checkout-looks': checkoutLooks,
  '0023-checkout-sums': checkoutSums,
  '0027-refunds': refunds,
  '0036-invoices': invoices,
  '0045-errands': errands,
  '0048-own-addresses': ownAddresses,
  '0054-refund-values': refundValues,
  '0055-paid-again': paidAgain,
  '0056-made-with': madeWith,
  '0058-payment-proofs': paymentProofs,
  '0060-webhook-proofs': webhookProofs,
  '0067-buyers': buyers,
}
