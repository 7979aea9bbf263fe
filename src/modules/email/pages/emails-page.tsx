import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed, Form, FormError } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Fields, Refusals } from '../../../web/dashboard/resource-form.tsx'
import {
  Badge,
  Card,
  Copyable,
  Empty,
  Facts,
  Moment,
  Nano,
  Pager,
  Table,
  shorten,
} from '../../../web/dashboard/show.tsx'
import { emailForm } from '../email-form.ts'

interface EmailPaymentRow {
  id: string
  status: string
  address: string
  refundAddress: string
  subtotal: bigint
  fee: bigint
  total: bigint
  recipients: number
  sender: string | null
  message: string | null
  createdAt: number
  fundBy: number
  fundedAt: number | null
  expiresAt: number | null
}

const NewEmailPayment = ({ frame, filled }: { frame: FrameProps; filled: FormState }) => (
  <Card title="New email payment" note="A small fee per recipient after the first is added to the amount.">
    <Refusals of={emailForm} purpose="create" filled={filled} />
    <Form frame={frame} action="/dashboard/emails">
      <Fields of={emailForm} purpose="create" filled={filled} rules={{}} />
      <button>Continue to payment</button>
    </Form>
  </Card>
)

export const EmailsPage = (props: {
  frame: FrameProps
  filled: FormState
  payments: readonly EmailPaymentRow[]
  first: string | undefined
  next: string | undefined
}) => {
  const { frame, filled, payments, first, next } = props
  return (
    <Frame
      {...frame}
      title="Email payments"
      follows={['email']}
      lead="Send nano by email. Recipients claim it with any wallet."
    >
      <Card>
        {payments.length === 0 ? (
          <Empty title="No email payments yet">
            <p>Create one below. Emails are sent once you have paid.</p>
          </Empty>
        ) : (
          <Table label="Email payments" head={['Payment', 'Status', 'Recipients', 'Amount', 'Created']}>
            {payments.map((payment) => (
              <tr key={payment.id}>
                <td>
                  <a href={`/dashboard/emails/${payment.id}`}>
                    <code>{payment.id}</code>
                  </a>
                </td>
                <td>
                  <Badge state={payment.status} />
                </td>
                <td>{payment.recipients}</td>
                <td>
                  <Nano raw={payment.total} />
                </td>
                <td>
                  <Moment at={payment.createdAt} />
                </td>
              </tr>
            ))}
          </Table>
        )}
        <Pager first={first} next={next} />
      </Card>
      <NewEmailPayment frame={frame} filled={filled} />
    </Frame>
  )
}

interface RecipientRow {
  id: string
  shownEmail: string
  amount: bigint
  status: string
  claimAddress: string | null
  sentAt: number | null
}

const Recipients = ({ recipients }: { recipients: readonly RecipientRow[] }) => (
  <Table label="Recipients" head={['Address', 'Share', 'Status', 'Emailed', 'Claimed to']}>
    {recipients.map((recipient) => (
      <tr key={recipient.id}>
        <td>{recipient.shownEmail === '' ? 'forgotten' : recipient.shownEmail}</td>
        <td>
          <Nano raw={recipient.amount} />
        </td>
        <td>
          <Badge state={recipient.status} />
        </td>
        <td>
          <Moment at={recipient.sentAt} />
        </td>
        <td>{recipient.claimAddress !== null && <code>{shorten(recipient.claimAddress)}</code>}</td>
      </tr>
    ))}
  </Table>
)

export const EmailPage = (props: {
  frame: FrameProps
  filled: FormState
  payment: EmailPaymentRow
  recipients: readonly RecipientRow[]
  link: string
  page: string
  qrcode: string
}) => {
  const { frame, filled, payment, recipients, link, page, qrcode } = props
  const isWaiting = payment.status === 'waiting'
  return (
    <Frame
      {...frame}
      title="Email payment"
      follows={['email']}
      lead={
        <>
          <Badge state={payment.status} /> <code>{payment.id}</code>
        </>
      }
      actions={
        <a class="button plain" href={page}>
          Open payment page
        </a>
      }
    >
      <FormError filled={filled} fields={[]} />
      {isWaiting && (
        <Card title="Pay now" note="Emails are sent as soon as your payment is confirmed.">
          <img class="qr" src={qrcode} width="180" height="180" alt={`QR code that pays to ${payment.address}`} />
          <Facts
            facts={[
              ['Amount', <Nano raw={payment.total} />],
              ['To', <Copyable text={payment.address} label="address" />],
              ['Pay by', <Moment at={payment.fundBy} />],
            ]}
          />
          <a class="button" href={link}>
            Open wallet
          </a>
        </Card>
      )}
      <Card title="Recipients">
        <Recipients recipients={recipients} />
      </Card>
      <Card title="Details">
        <Facts
          facts={[
            ['To recipients', <Nano raw={payment.subtotal} />],
            ['Fee', <Nano raw={payment.fee} />],
            ['Unclaimed goes to', <code>{payment.refundAddress}</code>],
            ['From', payment.sender ?? 'not given'],
            ['Message', payment.message ?? 'none'],
            ['Paid', <Moment at={payment.fundedAt} />],
            ...(payment.expiresAt === null ? [] : [['Expires', <Moment at={payment.expiresAt} />] as const]),
          ]}
        />
        {(isWaiting || payment.status === 'funded') && (
          <Confirmed ask="Cancel payment" kind="danger">
            <p>Claimed shares stay claimed. The rest goes to the refund address. The fee is not refunded.</p>
            <ActionButton frame={frame} action={`/dashboard/emails/${payment.id}/cancel`} kind="danger">
              Cancel now
            </ActionButton>
          </Confirmed>
        )}
      </Card>
    </Frame>
  )
}
