import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { formatNano } from '../../../kernel/money.ts'
import { Form, FormError, SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Badge, Card, Copyable, Empty, Moment, Nano, Table, shorten } from '../../../web/dashboard/show.tsx'

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
  frame: FrameProps
  filled: FormState
  checkoutId: string
  currency: string
  isOpen: boolean
  refunds: readonly RefundRow[]
  refundableRaw: bigint
  /** Cloud wallets of the account that can pay. */
  wallets: readonly { address: string; balance: bigint }[]
  /** Undefined for an administrator looking at another account. */
  action: string | undefined
  block(hash: string): string
}

export const REFUND_FIELDS = ['amount', 'fiat_amount', 'rate', 'address', 'from', 'as', 'reason'] as const

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

const Given = ({ refunds, block }: Pick<RefundsProps, 'refunds' | 'block'>) => (
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
)

/** The refund form: amount, rate, way, recipient and paying wallet. */
const RefundForm = ({ frame, filled, currency, wallets, action }: RefundsProps & { action: string }) => (
  <Form frame={frame} action={action} label="Refund">
    <TextField
      filled={filled}
      name="amount"
      label="Amount in nano"
      hint="Leave empty to refund the full remaining amount."
      inputMode="decimal"
    />
    {currency !== 'NANO' && (
      <>
        <TextField filled={filled} name="fiat_amount" label={`Or an amount in ${currency}`} inputMode="decimal" />
        <SelectField
          filled={filled}
          name="rate"
          label="Exchange rate"
          options={[
            ['', 'at payment'],
            ['now', 'today'],
          ]}
        />
      </>
    )}
    <SelectField
      filled={filled}
      name="as"
      label="How"
      required
      options={[
        ['send', 'Send it'],
        ['link', 'Create a claim link for the payer'],
      ]}
    />
    <TextField
      filled={filled}
      name="address"
      label="To address"
      hint="Leave empty to refund the payer’s address. Required if the payment came from an exchange."
    />
    <SelectField
      filled={filled}
      name="from"
      label="From"
      options={[
        ['', 'The wallet that received the payment'],
        ...wallets.map(
          ({ address, balance }) => [address, `${shorten(address, 12, 6)} (${formatNano(balance)} nano)`] as const,
        ),
      ]}
    />
    <TextField filled={filled} name="reason" label="Reason (for your records)" maxLength={280} />
    <button class="danger">Refund now</button>
  </Form>
)

/** The refunds so far, and the form for another one. */
export const RefundsCard = (props: RefundsProps) => {
  const { filled, refunds, refundableRaw, action, isOpen } = props
  const isWrong = filled.error !== undefined && filled.error.field !== 'block_hash'
  const canRefund = action !== undefined && refundableRaw > 0n
  if (refunds.length === 0 && !canRefund) return null
  return (
    <Card title="Refunds">
      {refunds.length === 0 ? <Empty title="No refunds yet" /> : <Given {...props} />}
      {canRefund && (
        <details class="confirm" open={isWrong}>
          <summary>Refund</summary>
          <div class="confirm-body">
            <p>
              Up to {formatNano(refundableRaw)} nano can go back. What has left cannot be called back.
              {isOpen && ' This checkout is still open. The refund cancels it.'}
            </p>
            <FormError filled={filled} fields={REFUND_FIELDS} elsewhere={['block_hash']} />
            <RefundForm {...props} action={action} />
          </div>
        </details>
      )}
    </Card>
  )
}
