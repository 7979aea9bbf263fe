import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Form, TextField, WayTo } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import type { EventRow } from '../../../web/dashboard/deliveries.tsx'
import { Card, Moment, Nano } from '../../../web/dashboard/show.tsx'
import type { Invoice, Sums } from '../invoices/invoice.ts'
import { Actions, Play } from './payment-actions.tsx'
import { PaymentFacts } from './payment-facts.tsx'
import { priceOf, sentenceOf, statusWord } from './payment-words.ts'
import { type RefundRow, RefundsCard } from './refunds-card.tsx'

export interface CheckoutDetail {
  id: string
  owner: string
  title: string | null
  description: string | null
  status: string
  additional: string
  /** Whether it was paid too late and its merchant has not decided about it. */
  isLate: boolean
  mode: string
  madeWith: string | null
  keyId: string | null
  address: string
  merchantAddress: string
  walletId: string | null
  currency: string
  price: string | null
  amountRaw: bigint | undefined
  paidRaw: bigint
  excessRaw: bigint
  plans: readonly { title: string; value: string; amountRaw: bigint | undefined }[]
  plan: number | null
  successUrl: string | null
  cancelUrl: string | null
  webhookUrl: string | null
  notify: string | null
  note: string | null
  metadata: Readonly<Record<string, unknown>>
  invoice: Invoice | null
  invoiceNumber: string | null
  createdAt: number
  expiresAt: number
  paidAt: number | null
}

export interface CheckoutPageProps {
  frame: FrameProps
  filled: FormState
  checkout: CheckoutDetail
  buyer: { name: string | null; email: string | null; receiptAt: number | null } | undefined
  /** Lines and taxes of the invoice, in the currency, as people read them. */
  bill: { sums: Sums; show(units: bigint): string } | undefined
  payments: readonly { blockHash: string; kind: string; payer: string; amountRaw: bigint; at: number }[]
  events: readonly EventRow[]
  timeline: readonly { seq: number; status: string; reason: string; at: number; blockHash: string | null }[]
  links: { pay: string; check: string; block(hash: string): string; proof(hash: string): string }
  /** Hashes of payments that have a public proof. */
  proved: ReadonlySet<string>
  refunds: readonly RefundRow[]
  refundableRaw: bigint
  /** Unmatched payments of the account, from which the merchant can choose. */
  unmatched: readonly { blockHash: string; payer: string; amountRaw: bigint; at: number }[]
  /** False for administrators, who may read other accounts' checkouts but not change them. */
  isOwn: boolean
}

const Bought = ({ checkout, bill, links }: Pick<CheckoutPageProps, 'checkout' | 'bill' | 'links'>) => {
  const { invoice, invoiceNumber, title, description, plans, plan } = checkout
  const bought = plan === null ? undefined : plans[plan]
  return (
    <Card title="What was bought">
      <table class="bill">
        <tbody>
          {bill && invoice ? (
            invoice.lines.map((line, at) => (
              <tr key={at}>
                <th scope="row">
                  {line.title}
                  {line.quantity !== '1' && <span class="under">{line.quantity} ×</span>}
                </th>
                <td>{bill.show(bill.sums.lines[at]!)}</td>
              </tr>
            ))
          ) : (
            <tr>
              <th scope="row">
                {title ?? 'A payment without a title'}
                {bought && <span class="under">{bought.title}</span>}
                {description !== null && <span class="under">{description}</span>}
              </th>
              <td>{priceOf(checkout) ?? 'payer chooses'}</td>
            </tr>
          )}
          {bill?.sums.tax.map((tax, at) => (
            <tr key={`tax-${at}`} class="soft">
              <th scope="row">{invoice!.tax[at]!.title}</th>
              <td>{bill.show(tax)}</td>
            </tr>
          ))}
          <tr class="total">
            <th scope="row">Total</th>
            <td>{priceOf(checkout) ?? 'payer chooses'}</td>
          </tr>
        </tbody>
      </table>
      {invoice !== null && (
        <p>
          <a href={`${links.pay}/invoice`}>Invoice {invoiceNumber ?? invoice.number ?? ''}</a>
        </p>
      )}
    </Card>
  )
}

const GOOD = new Set(['paid', 'refund sent', 'refund claimed', 'marked by the merchant'])

const Happened = ({ timeline, buyer, links }: Pick<CheckoutPageProps, 'timeline' | 'buyer' | 'links'>) => {
  const entries = timeline.map(({ seq, reason, at, blockHash }) => ({
    key: String(seq),
    at,
    isGood: GOOD.has(reason),
    text: sentenceOf(reason),
    blockHash,
  }))
  const receiptAt = buyer?.receiptAt ?? null
  if (receiptAt !== null)
    entries.push({
      key: 'receipt',
      at: receiptAt,
      isGood: true,
      text: `The receipt went to ${buyer?.email}.`,
      blockHash: null,
    })
  return (
    <Card title="What happened">
      <ol class="timeline told">
        {entries
          .sort((one, other) => other.at - one.at)
          .map(({ key, at, isGood, text, blockHash }) => (
            <li key={key} class={isGood ? 'is-good' : undefined}>
              <p>{text}</p>
              <span class="under">
                <Moment at={at} />
                {blockHash !== null && (
                  <>
                    {' · '}
                    <a href={links.block(blockHash)} rel="noopener noreferrer">
                      block
                    </a>
                  </>
                )}
              </span>
            </li>
          ))}
      </ol>
    </Card>
  )
}

const BuyerCard = ({ frame, filled, checkout, buyer, isOwn }: CheckoutPageProps) => {
  const named = checkout.invoice?.buyer ?? null
  const name = buyer?.name ?? named?.name ?? null
  const email = buyer?.email ?? null
  const isPaid = checkout.status === 'complete'
  return (
    <Card title="Buyer">
      {name === null && email === null && <p class="soft">No name given.</p>}
      {name !== null && (
        <p>
          <strong>{name}</strong>
        </p>
      )}
      {email !== null && (
        <p>
          <a href={`mailto:${encodeURI(email)}`}>{email}</a> ·{' '}
          <a href={`/dashboard/checkouts?text=${encodeURIComponent(email)}`}>all payments</a>
        </p>
      )}
      {named?.address && <p class="soft pre-line">{named.address}</p>}
      {isOwn && isPaid && email === null && (
        <Form frame={frame} action={`/dashboard/checkouts/${checkout.id}/receipt`} label="Send receipt">
          <TextField filled={filled} name="email" label="Send the receipt to" type="email" required />
          <button class="plain">Send receipt</button>
        </Form>
      )}
    </Card>
  )
}

/** One payment: who, what, its state, and what can be done; technical details are folded. */
export const CheckoutPage = (props: CheckoutPageProps) => {
  const { frame, filled, checkout, buyer, timeline, links, refunds, refundableRaw, unmatched, isOwn } = props
  const status = statusWord(checkout)
  const price = priceOf(checkout)
  const who = buyer?.name ?? checkout.invoice?.buyer?.name ?? buyer?.email ?? undefined
  const path = `/dashboard/checkouts/${checkout.id}`
  return (
    <Frame
      {...frame}
      title={price ?? checkout.title ?? 'Payment'}
      follows={['checkout', 'webhooks']}
      styles={['payment.css']}
      lead={
        <>
          <span class={`badge ${status.tone}`}>{status.text}</span> {[checkout.title, who].filter(Boolean).join(' · ')}
          {(checkout.title ?? who) && ' · '}
          <Moment at={checkout.paidAt ?? checkout.createdAt} />
          {checkout.currency !== 'NANO' && checkout.paidRaw > 0n && (
            <span class="under">
              <Nano raw={checkout.paidRaw} />
              {price !== undefined && checkout.status === 'complete' && `, worth ${price} when it was paid`}
            </span>
          )}
        </>
      }
      actions={
        <>
          {isOwn && refundableRaw > 0n && (
            <WayTo frame={frame} class="button plain" href={`${path}/refund`}>
              Refund
            </WayTo>
          )}
          {isOwn && checkout.status !== 'complete' && (
            <WayTo frame={frame} class="button plain" href={`${path}/edit`}>
              Change
            </WayTo>
          )}
          <a class="button plain" href={links.pay}>
            Open payment page
          </a>
          <button type="button" class="plain copy" data-copy={links.pay} hidden>
            Copy link
          </button>
        </>
      }
    >
      {checkout.isLate && checkout.status !== 'complete' && isOwn && (
        <p class="notice task">
          This payment arrived late or for a different price. Mark the checkout as paid to accept it, or refund it.
        </p>
      )}
      <div class="split">
        <div class="stack">
          <Bought {...props} />
          {refunds.length > 0 && <RefundsCard refunds={refunds} block={links.block} />}
          <Happened timeline={timeline} buyer={buyer} links={links} />
        </div>
        <div class="stack">
          <BuyerCard {...props} />
          {checkout.note !== null && (
            <Card title="Note" note="Only your team sees it.">
              <p class="pre-line">{checkout.note}</p>
            </Card>
          )}
          {isOwn && <Actions frame={frame} checkout={checkout} filled={filled} unmatched={unmatched} />}
          {isOwn && frame.plays && <Play frame={frame} checkout={checkout} />}
        </div>
      </div>
      <PaymentFacts {...props} />
    </Frame>
  )
}
