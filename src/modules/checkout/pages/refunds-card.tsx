import { Badge, Card, Copyable, Moment, Nano, Table, shorten } from '../../../web/dashboard/show.tsx'

export interface RefundRow {
  id: string
  status: string
  as: string
  amountRaw: bigint
  fiat: string | null
  address: string | null
  hash: string | null
  /** The link to hand to the payer, until it is used. */
  link: string | null
  reason: string | null
  failure: string | null
  createdAt: number
}

interface RefundsProps {
  refunds: readonly RefundRow[]
  block(hash: string): string
}

const FAILURES: Readonly<Record<string, string>> = {
  insufficient_funds: 'the wallet did not have enough funds',
  wallet_busy: 'the wallet could not send in time',
  wallet_frozen: 'the wallet is frozen',
  unclaimed: 'the link was not used; the money was returned',
}

const Where = ({ refund }: { refund: RefundRow }) => {
  if (refund.address !== null) return <code title={refund.address}>{shorten(refund.address)}</code>
  return refund.link === null ? (
    <>by link</>
  ) : (
    <Copyable text={refund.link} shown="by link" label="link for the payer" />
  )
}

/** What was given back so far. */
export const RefundsCard = ({ refunds, block }: RefundsProps) => (
  <Card title="Refunds">
    <Table label="Refunds" head={['Amount', 'Status', 'To', 'Block', 'Requested']}>
      {refunds.map((refund) => (
        <tr key={refund.id}>
          <td>
            <Nano raw={refund.amountRaw} />
            {refund.fiat !== null && <span class="under">{refund.fiat}</span>}
          </td>
          <td>
            <Badge state={refund.status} />
            {refund.failure !== null && <span class="under">{FAILURES[refund.failure] ?? refund.failure}</span>}
          </td>
          <td>
            <Where refund={refund} />
          </td>
          <td>
            {refund.hash === null ? (
              'none yet'
            ) : (
              <a href={block(refund.hash)} rel="noopener noreferrer">
                <code>{shorten(refund.hash, 10, 6)}</code>
              </a>
            )}
          </td>
          <td>
            <Moment at={refund.createdAt} />
            {refund.reason !== null && <span class="under">{refund.reason}</span>}
          </td>
        </tr>
      ))}
    </Table>
  </Card>
)
