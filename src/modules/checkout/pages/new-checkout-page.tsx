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
      hint="Instead of a price. One per line: Title = price."
      placeholder={'One month = 1\nOne year = 10'}
      rows={3}
    />
    <TextField filled={filled} name="image" label="Image" hint="An https URL." type="url" />
    <div class="pair">
      <TextField filled={filled} name="success_url" label="Return URL after payment" type="url" />
      <TextField filled={filled} name="cancel_url" label="Return URL after cancelling" type="url" />
    </div>
    <TextField
      filled={filled}
      name="webhook_url"
      label="Webhook"
      hint="Receives payment events, signed with your webhook secret."
      type="url"
    />
    <TextField
      filled={filled}
      name="notify"
      label="Receipt to"
      type="email"
      hint="We email a receipt once it is paid."
    />
    <TextField
      filled={filled}
      name="expire"
      label="Expires after"
      hint="From 5 minutes to 30 days, such as 2 hours. Leave empty for the default."
    />
    <TextField filled={filled} name="note" label="Internal note" rows={2} maxLength={1000} />
    <TextField
      filled={filled}
      name="metadata"
      label="Metadata"
      hint="A JSON object returned in webhooks."
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
      hint="One per line: 2 x Title = unit price. Lines and taxes must add up to the price."
      placeholder={'2 x Coffee cup = 10\nShipping = 4.50'}
      rows={3}
    />
    <TextField
      filled={filled}
      name="invoice_tax"
      label="Taxes on the invoice"
      hint="One per line: Title = amount."
      placeholder="VAT 20 % = 4.90"
      rows={2}
    />
    <TextField
      filled={filled}
      name="invoice_buyer"
      label="Buyer on the invoice"
      hint="Name in the first line, then the address. Anyone with the payment link can read it."
      rows={3}
      maxLength={640}
    />
    <TextField
      filled={filled}
      name="invoice_seller"
      label="Seller on the invoice"
      hint="Your address and tax number, where required by law."
      rows={3}
      maxLength={500}
    />
    <TextField
      filled={filled}
      name="invoice_number"
      label="Invoice number"
      hint="Leave empty to assign the next number once it is paid."
      maxLength={40}
    />
  </>
)

/** The form for a checkout by hand: the common fields first, the rest behind one click. */
export const NewCheckoutPage = (props: {
  frame: FrameProps
  filled: FormState
  currencies: readonly string[]
  walletsAllowed: boolean
}) => {
  const { frame, filled, currencies, walletsAllowed } = props
  const opensFurther = FURTHER.some((name) => filled.error?.field === name || (filled.values[name] ?? '') !== '')
  return (
    <Frame {...frame} title="New checkout" lead="Create a payment page and share its link.">
      <Form frame={frame} action="/dashboard/checkouts">
        <FormError filled={filled} fields={[...BASIC, ...FURTHER]} />
        <Card>
          <TextField filled={filled} name="title" label="Title" hint="What the payment is for." maxLength={120} />
          <div class="pair">
            <TextField
              filled={filled}
              name="amount"
              label="Price"
              hint="Leave empty to let the payer choose."
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
            hint="Leave it empty to be paid where your money goes. Otherwise nano_… or @name."
          />
          <SelectField
            filled={filled}
            name="mode"
            label="How payments are matched"
            required
            options={[
              ['unique_amount', 'By amount: a few extra digits make it unique'],
              ['unique_address', 'By address: use this address for nothing else'],
              ...(walletsAllowed
                ? [['generated_wallet', 'By wallet: a new wallet that forwards to your address'] as const]
                : []),
            ]}
          />
          <TextField filled={filled} name="description" label="Description" rows={3} maxLength={1000} />
        </Card>
        <details class="card" open={opensFurther}>
          <summary>More options: plans, invoice, redirects, webhook, expiry, note, metadata</summary>
          <Further filled={filled} />
        </details>
        <button>Create checkout</button>
      </Form>
    </Frame>
  )
}
