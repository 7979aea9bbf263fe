import type { PaymentView } from '../view.ts'

/* What administrators read about a payment. The words of its state are those of the gateway's dashboard. */

export type Color = 'green' | 'red' | 'blue' | 'orange' | 'grey'

interface Words {
  state: string
  color: Color
  sentence: string
}

export function describePayment(payment: PaymentView): Words {
  const { status, amount, amount_paid: paid, amount_refunded: back, additional_status: additional } = payment
  const arrived = `${paid} nano arrived`
  const words = (state: string, color: Color, sentence: string): Words => ({ state, color, sentence })
  if (additional === 'refunded') return words('Refunded', 'grey', `All ${back} nano go back to the payer.`)
  if (additional === 'partly_refunded') {
    return words('Partly refunded', 'blue', `${arrived}, of which ${back} go back to the payer.`)
  }
  if (status === 'complete') {
    if (additional === 'overpaid') {
      return words(
        'Paid, more than asked',
        'orange',
        `${arrived}: ${payment.amount_excess ?? 'some'} more than asked. Refund that on the gateway's page.`,
      )
    }
    if (additional === 'marked') return words('Paid, by your word', 'green', 'It was marked as paid at the gateway.')
    return words('Paid', 'green', `${arrived}, and the payment is final.`)
  }
  if (additional === 'paid_late') {
    return words('Paid late', 'orange', `${arrived} after the end. Accept or refund them on the gateway's page.`)
  }
  if (status === 'partial') {
    return words('Partly paid', 'orange', `${arrived} of ${amount}. The payment page asks for the rest.`)
  }
  if (status === 'detected') return words('Arriving', 'blue', 'A payment was seen, and becomes final within seconds.')
  if (status === 'pending') return words('Waiting', 'blue', 'The payer has not paid yet.')
  const ended = status === 'expired' ? 'Expired' : 'Cancelled'
  return words(ended, 'grey', paid === '0' ? 'Nothing was paid.' : `${arrived}, which is not the full price.`)
}

type Refund = PaymentView['refunds'][number]

const REFUNDS: Record<Refund['status'], Pick<Words, 'state' | 'color'>> = {
  created: { state: 'On its way', color: 'blue' },
  sending: { state: 'On its way', color: 'blue' },
  sent: { state: 'Sent', color: 'green' },
  waiting_for_claim: { state: 'Waits for the payer', color: 'orange' },
  claimed: { state: 'Collected', color: 'green' },
  failed: { state: 'Failed', color: 'red' },
}

export const describeRefund = ({ status }: Refund) => REFUNDS[status]

/** Whether it changes by itself within seconds. */
export const isMoving = ({ status, refunds }: PaymentView) =>
  status === 'detected' || refunds.some((refund) => refund.status === 'created' || refund.status === 'sending')
