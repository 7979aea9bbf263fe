import { Deliveries } from '../../../web/dashboard/deliveries.tsx'
import { Badge, Copyable, Empty, Facts, Moment, Nano, Table, shorten } from '../../../web/dashboard/show.tsx'
import type { CheckoutDetail, CheckoutPageProps } from './checkout-page.tsx'

const Block = ({ hash, url }: { hash: string; url: string }) => (
  <span class="copyable">
    <a href={url} rel="noopener noreferrer">
      <code>{shorten(hash, 10, 6)}</code>
    </a>
  </span>
)

const makerOf = ({ madeWith, keyId }: CheckoutDetail) =>
  `${madeWith === 'bound_key' ? 'bound' : 'unbound'} public key ${keyId}`

const Payments = ({ payments, links, proved }: Pick<CheckoutPageProps, 'payments' | 'links' | 'proved'>) =>
  payments.length === 0 ? (
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
  )

/** What programs and support need, folded: ids, blocks, addresses, exact amounts and webhooks. */
export const PaymentFacts = ({ frame, checkout, payments, events, links, proved, isOwn }: CheckoutPageProps) => (
  <details class="card technical">
    <summary>
      Technical <span class="soft">ids, blocks, amounts, messages to your shop</span>
    </summary>
    <Facts
      facts={[
        ['Payment', <Copyable text={checkout.id} label="id" />],
        ['Status', `${checkout.status}, ${checkout.additional}`],
        ...(checkout.amountRaw === undefined ? [] : [['Asked for', `${checkout.amountRaw} raw`] as const]),
        ['Received', `${checkout.paidRaw} raw`],
        ...(checkout.excessRaw === 0n ? [] : [['Overpaid', <Nano raw={checkout.excessRaw} />] as const]),
        ['To', <Copyable text={checkout.address} shown={shorten(checkout.address, 16, 8)} label="address" />],
        ...(checkout.merchantAddress === checkout.address
          ? []
          : [['Then swept to', <code>{shorten(checkout.merchantAddress, 16, 8)}</code>] as const]),
        ['Matched by', checkout.mode.replaceAll('_', ' ')],
        ...(checkout.madeWith === null ? [] : [['Made with', makerOf(checkout)] as const]),
        ['Created', <Moment at={checkout.createdAt} />],
        ['Expires', <Moment at={checkout.expiresAt} />],
        ...checkout.plans.map(
          ({ title, value }, at) =>
            [
              `Plan ${at + 1}`,
              `${title}: ${value} ${checkout.currency}${checkout.plan === at ? ' (bought)' : ''}`,
            ] as const,
        ),
        ['Payment link', <Copyable text={links.pay} label="link" />],
        ['After payment', checkout.successUrl ?? 'stay on the page'],
        ['After cancelling', checkout.cancelUrl ?? 'stay on the page'],
        ['Webhook', checkout.webhookUrl ?? 'none'],
        ['Your receipt goes to', checkout.notify ?? 'nobody'],
        [
          'Metadata',
          Object.keys(checkout.metadata).length > 0 ? <pre>{JSON.stringify(checkout.metadata, null, 2)}</pre> : 'none',
        ],
      ]}
    />
    <h3>Payments</h3>
    <Payments payments={payments} links={links} proved={proved} />
    <h3>Webhook events</h3>
    {events.length === 0 ? (
      <Empty title="No events yet">
        {checkout.webhookUrl === null && <p>This checkout has no webhook. You can read its events from /api/events.</p>}
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
  </details>
)
