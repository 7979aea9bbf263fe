import type { ComponentProps } from 'preact'
import { formatNano } from '../../../kernel/money.ts'
import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed, Form, FormError, SelectField, WayTo } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { type EventRow, Deliveries } from '../../../web/dashboard/deliveries.tsx'
import { REFUND_FIELDS, RefundsCard } from './refunds-card.tsx'
import { Badge, Card, Copyable, Empty, Facts, Moment, Nano, Table, shorten } from '../../../web/dashboard/show.tsx'

interface CheckoutDetail {
  id: string
  owner: string
  title: string | null
  description: string | null
  status: string
  additional: string
  /** Paid too late, and its merchant has not decided about it. */
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
  metadata: Readonly<Record<string, unknown>>
  createdAt: number
  expiresAt: number
  paidAt: number | null
}

interface CheckoutPageProps {
  frame: FrameProps
  filled: FormState
  checkout: CheckoutDetail
  payments: readonly { blockHash: string; kind: string; payer: string; amountRaw: bigint; at: number }[]
  events: readonly EventRow[]
  timeline: readonly {
    seq: number
    status: string
    additional: string
    reason: string
    at: number
    blockHash: string | null
  }[]
  links: { pay: string; check: string; block(hash: string): string; proof(hash: string): string }
  /** Hashes of payments that have a public proof. */
  proved: ReadonlySet<string>
  refunding: Omit<
    ComponentProps<typeof RefundsCard>,
    'frame' | 'filled' | 'checkoutId' | 'currency' | 'isOpen' | 'block' | 'action'
  >
  /** Unmatched payments of the account, from which the merchant can choose. */
  unmatched: readonly { blockHash: string; payer: string; amountRaw: bigint; at: number }[]
  /** False for administrators, who may read other accounts' checkouts but not change them. */
  isOwn: boolean
}

const inWords = (payer: string, amountRaw: bigint, at: number) =>
  `${formatNano(amountRaw)} nano, ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC, from ${shorten(payer)}`

const OPEN = ['pending', 'detected', 'partial']

const Block = ({ hash, url }: { hash: string; url: string }) => (
  <span class="copyable">
    <a href={url} rel="noopener noreferrer">
      <code>{shorten(hash, 10, 6)}</code>
    </a>
  </span>
)

const Money = ({ checkout }: { checkout: CheckoutDetail }) => {
  const { currency, price, amountRaw } = checkout
  return (
    <>
      {amountRaw === undefined ? 'payer chooses' : <Nano raw={amountRaw} />}
      {currency !== 'NANO' && price !== null && ` for ${price} ${currency}`}
    </>
  )
}

const Actions = ({
  frame,
  checkout,
  filled,
  unmatched,
}: Pick<CheckoutPageProps, 'frame' | 'checkout' | 'filled' | 'unmatched'>) => {
  const action = (word: string) => `/dashboard/checkouts/${checkout.id}/${word}`
  const isOpen = OPEN.includes(checkout.status)
  const isEnded = checkout.status === 'expired' || checkout.status === 'cancelled'
  if (checkout.status === 'complete') return null
  return (
    <Card title="Actions">
      <FormError filled={filled} fields={['block_hash']} elsewhere={REFUND_FIELDS} />
      <div class="actions">
        {isOpen && (
          <Confirmed ask="Cancel checkout" kind="danger">
            <p>
              The payment page stops accepting payments. Payments that arrive in the next seven days are still recorded.
            </p>
            <ActionButton frame={frame} action={action('cancel')} kind="danger">
              Cancel it
            </ActionButton>
          </Confirmed>
        )}
        {(isEnded || checkout.isLate) && (
          <Confirmed ask="Mark as paid">
            <p>Confirms that you received the money another way. Your webhook is notified as for any payment.</p>
            <ActionButton frame={frame} action={action('mark')}>
              Mark it
            </ActionButton>
          </Confirmed>
        )}
      </div>
      <details open={filled.error?.field === 'block_hash'}>
        <summary>Assign an unmatched payment</summary>
        <Form frame={frame} action={action('mark')}>
          {unmatched.length === 0 ? (
            <p>
              There are no <a href="/dashboard/checkouts/unmatched">unmatched payments</a>.
            </p>
          ) : (
            <>
              <SelectField
                filled={filled}
                name="block_hash"
                label="Payment"
                hint={
                  <>
                    See all <a href="/dashboard/checkouts/unmatched">unmatched payments</a> with their blocks.
                  </>
                }
                required
                options={unmatched.map(({ blockHash, payer, amountRaw, at }) => [
                  blockHash,
                  inWords(payer, amountRaw, at),
                ])}
              />
              <button class="plain">Assign and mark as paid</button>
            </>
          )}
        </Form>
      </details>
    </Card>
  )
}

/** Buttons that bring a checkout on the development ledger into every state. */
const Play = ({ frame, checkout }: Pick<CheckoutPageProps, 'frame' | 'checkout'>) => (
  <Card title="Simulate a payment" note="Only on the development ledger. More on the Developer page.">
    <div class="actions">
      {[
        ['exactly', 'Pay exactly'],
        ['partly', 'Pay half'],
        ['late', 'Pay late'],
        ...(OPEN.includes(checkout.status) ? [['expire', 'Expire now']] : []),
      ].map(([what, name]) => (
        <ActionButton key={what} frame={frame} action={`/dashboard/developer/checkouts/${checkout.id}/${what}`}>
          {name!}
        </ActionButton>
      ))}
    </div>
  </Card>
)

const makerOf = ({ madeWith, keyId }: CheckoutDetail) =>
  `${madeWith === 'bound_key' ? 'bound' : 'unbound'} public key ${keyId}`

const Payment = ({ checkout, links }: Pick<CheckoutPageProps, 'checkout' | 'links'>) => (
  <Card title="Payment">
    <Facts
      facts={[
        ['Amount', <Money checkout={checkout} />],
        ['Paid', <Nano raw={checkout.paidRaw} />],
        ...(checkout.excessRaw === 0n ? [] : [['Overpaid', <Nano raw={checkout.excessRaw} />] as const]),
        ['To', <Copyable text={checkout.address} shown={shorten(checkout.address, 16, 8)} label="address" />],
        ...(checkout.merchantAddress === checkout.address
          ? []
          : [['Then swept to', <code>{shorten(checkout.merchantAddress, 16, 8)}</code>] as const]),
        ['Matched by', checkout.mode.replaceAll('_', ' ')],
        ...(checkout.madeWith === null ? [] : [['Made with', makerOf(checkout)] as const]),
        ['Created', <Moment at={checkout.createdAt} />],
        ['Expires', <Moment at={checkout.expiresAt} />],
        ...(checkout.paidAt === null ? [] : [['Paid at', <Moment at={checkout.paidAt} />] as const]),
        ['Payment link', <Copyable text={links.pay} label="link" />],
      ]}
    />
  </Card>
)

const Timeline = ({ timeline, links }: Pick<CheckoutPageProps, 'timeline' | 'links'>) => (
  <Card title="Timeline">
    <ol class="timeline">
      {timeline.map((entry) => (
        <li key={entry.seq}>
          <Badge state={entry.status} /> {entry.additional !== 'none' && <Badge state={entry.additional} />}{' '}
          {entry.reason}
          <span class="under">
            <Moment at={entry.at} />
            {entry.blockHash !== null && (
              <>
                {' · '}
                <Block hash={entry.blockHash} url={links.block(entry.blockHash)} />
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  </Card>
)

const Payments = ({ payments, links, proved }: Pick<CheckoutPageProps, 'payments' | 'links' | 'proved'>) => (
  <Card title="Payments">
    {payments.length === 0 ? (
      <Empty title="No payments yet" />
    ) : (
      <Table label="Payments" head={['Amount', 'Kind', 'From', 'Block', 'Seen']}>
        {payments.map((payment) => (
          <tr key={payment.blockHash}>
            <td>
              <Nano raw={payment.amountRaw} />
            </td>
            <td>
              <Badge state={payment.kind} />
            </td>
            <td>
              <code title={payment.payer}>{shorten(payment.payer)}</code>
            </td>
            <td>
              <Block hash={payment.blockHash} url={links.block(payment.blockHash)} />
              {proved.has(payment.blockHash) && (
                <>
                  {' · '}
                  <a href={links.proof(payment.blockHash)}>Proof</a>
                </>
              )}
            </td>
            <td>
              <Moment at={payment.at} />
            </td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
)

const Details = ({ checkout }: Pick<CheckoutPageProps, 'checkout'>) => (
  <Card title="Details">
    <Facts
      facts={[
        ['Description', checkout.description ?? 'none'],
        ...checkout.plans.map(
          ({ title, value }, at) =>
            [
              `Plan ${at + 1}`,
              `${title}: ${value} ${checkout.currency}${checkout.plan === at ? ' (bought)' : ''}`,
            ] as const,
        ),
        ['After payment', checkout.successUrl ?? 'stay on the page'],
        ['After cancelling', checkout.cancelUrl ?? 'stay on the page'],
        ['Webhook', checkout.webhookUrl ?? 'none'],
        ['Receipt to', checkout.notify ?? 'none'],
        [
          'Metadata',
          Object.keys(checkout.metadata).length > 0 ? <pre>{JSON.stringify(checkout.metadata, null, 2)}</pre> : 'none',
        ],
      ]}
    />
  </Card>
)

/** One checkout with its whole history. */
export const CheckoutPage = (props: CheckoutPageProps) => {
  const { frame, filled, checkout, payments, events, timeline, links, proved, refunding, unmatched, isOwn } = props
  return (
    <Frame
      {...frame}
      title={checkout.title ?? 'Checkout'}
      follows={['checkout', 'webhooks']}
      lead={
        <>
          <Badge state={checkout.status} /> {checkout.additional !== 'none' && <Badge state={checkout.additional} />}{' '}
          <code>{checkout.id}</code>
        </>
      }
      actions={
        <>
          {isOwn && checkout.status !== 'complete' && (
            <WayTo frame={frame} class="button plain" href={`/dashboard/checkouts/${checkout.id}/edit`}>
              Change
            </WayTo>
          )}
          <a class="button plain" href={links.pay}>
            Open payment page
          </a>
        </>
      }
    >
      {checkout.isLate && checkout.status !== 'complete' && isOwn && (
        <p class="notice task">
          This payment arrived late or for a different price. Mark the checkout as paid to accept it.
        </p>
      )}
      <div class="row two">
        <Payment checkout={checkout} links={links} />
        <Timeline timeline={timeline} links={links} />
      </div>
      {isOwn && <Actions frame={frame} checkout={checkout} filled={filled} unmatched={unmatched} />}
      {isOwn && frame.plays && <Play frame={frame} checkout={checkout} />}
      <Payments payments={payments} links={links} proved={proved} />
      <RefundsCard
        {...refunding}
        frame={frame}
        filled={filled}
        checkoutId={checkout.id}
        currency={checkout.currency}
        isOpen={OPEN.includes(checkout.status)}
        action={isOwn ? `/dashboard/checkouts/${checkout.id}/refund` : undefined}
        block={links.block}
      />
      <Card title="Webhook events">
        {events.length === 0 ? (
          <Empty title="No events yet">
            {checkout.webhookUrl === null && (
              <p>This checkout has no webhook. You can read its events from /api/events.</p>
            )}
          </Empty>
        ) : (
          events.map((event) => (
            <Deliveries
              key={event.id}
              frame={frame}
              event={event}
              redeliver={isOwn ? `/dashboard/checkouts/${checkout.id}/events/${event.id}/redeliver` : undefined}
            />
          ))
        )}
      </Card>
      <Details checkout={checkout} />
    </Frame>
  )
}
