import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Form, FormError, SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card } from '../../../web/dashboard/show.tsx'

const BASIC = ['title', 'description', 'amount', 'currency', 'address', 'mode']
const FURTHER = [
  'plans',
  'image',
  'success_url',
  'cancel_url',
  'notify',
  'metadata',
  'webhook_url',
  'webhook_events',
  'expire',
  'note',
  'invoice_lines',
  'invoice_tax',
  'invoice_buyer',
  'invoice_seller',
  'invoice_number',
]

const Further = ({ filled }: { filled: FormState }) => (
  <div class="further">
    <TextField
      filled={filled}
      name="plans"
      label="Plans"
      hint="Instead of a price: one a line, as Title = price."
      placeholder={'One month = 1\nOne year = 10'}
      rows={3}
    />
    <TextField filled={filled} name="image" label="Image" hint="An https address." type="url" />
    <div class="pair">
      <TextField filled={filled} name="success_url" label="Page after payment" type="url" />
      <TextField filled={filled} name="cancel_url" label="Page after cancelling" type="url" />
    </div>
    <TextField
      filled={filled}
      name="webhook_url"
      label="Webhook"
      hint="Told about the payment, signed with your webhook secret."
      type="url"
    />
    <TextField filled={filled} name="notify" label="Receipt to" type="email" hint="Mailed once it is paid." />
    <TextField
      filled={filled}
      name="expire"
      label="How long it can be paid"
      hint="From 5 minutes to 30 days, such as 2 hours. Empty: as long as others."
    />
    <TextField filled={filled} name="note" label="Note to yourself" rows={2} maxLength={1000} />
    <TextField
      filled={filled}
      name="metadata"
      label="Metadata"
      hint="A JSON object that comes back in the webhook."
      placeholder='{"order": "A-17"}'
      rows={3}
    />
    <InvoiceFields filled={filled} />
  </div>
)

const InvoiceFields = ({ filled }: { filled: FormState }) => (
  <>
    <TextField
      filled={filled}
      name="invoice_lines"
      label="Invoice"
      hint="One a line, as 2 x Title = price of one. With the taxes they must come to the price."
      placeholder={'2 x Coffee cup = 10\nShipping = 4.50'}
      rows={3}
    />
    <TextField
      filled={filled}
      name="invoice_tax"
      label="Taxes on the invoice"
      hint="One a line, as Title = amount."
      placeholder="VAT 20 % = 4.90"
      rows={2}
    />
    <TextField
      filled={filled}
      name="invoice_buyer"
      label="Buyer on the invoice"
      hint="The name in the first line, then the address. Whoever has the link of the checkout can read it."
      rows={3}
      maxLength={640}
    />
    <TextField
      filled={filled}
      name="invoice_seller"
      label="You on the invoice"
      hint="Address and tax number, where a law wants them."
      rows={3}
      maxLength={500}
    />
    <TextField
      filled={filled}
      name="invoice_number"
      label="Invoice number"
      hint="Empty: the next of your account, once it is paid."
      maxLength={40}
    />
  </>
)

/** A checkout by hand: what most need first, the rest behind one click. */
export const NewCheckoutPage = (props: {
  frame: FrameProps
  filled: FormState
  currencies: readonly string[]
  walletsAllowed: boolean
}) => {
  const { frame, filled, currencies, walletsAllowed } = props
  const opensFurther = FURTHER.some((name) => filled.error?.field === name || (filled.values[name] ?? '') !== '')
  return (
    <Frame {...frame} title="New checkout" lead="A page on which somebody pays you. You get its link to share.">
      <Form frame={frame} action="/dashboard/checkouts">
        <FormError filled={filled} fields={[...BASIC, ...FURTHER]} />
        <Card>
          <TextField filled={filled} name="title" label="Title" hint="What is being paid for." maxLength={120} />
          <div class="pair">
            <TextField
              filled={filled}
              name="amount"
              label="Price"
              hint="Empty: the payer decides."
              inputMode="decimal"
              placeholder="1.5"
            />
            <SelectField
              filled={filled}
              name="currency"
              label="Currency"
              required
              options={['NANO', ...currencies].map((code) => [code, code])}
            />
          </div>
          <TextField
            filled={filled}
            name="address"
            label="Your address"
            hint="Where the money goes: nano_… or @name."
            required
          />
          <SelectField
            filled={filled}
            name="mode"
            label="How a payment is recognised"
            required
            options={[
              ['unique_amount', 'By its amount: a small tail makes it unique'],
              ['unique_address', 'By its address: this one is used for nothing else'],
              ...(walletsAllowed
                ? [['generated_wallet', 'By a wallet made for it, emptied to your address'] as const]
                : []),
            ]}
          />
          <TextField filled={filled} name="description" label="Description" rows={3} maxLength={1000} />
        </Card>
        <details class="card" open={opensFurther}>
          <summary>Plans, invoice, redirects, webhook, time, note, metadata</summary>
          <Further filled={filled} />
        </details>
        <button>Create checkout</button>
      </Form>
    </Frame>
  )
}
