import type { FormState } from '../../../kernel/page.ts'
import { SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Card } from '../../../web/dashboard/show.tsx'

const BASIC = ['title', 'description', 'amount', 'currency', 'address', 'slug', 'suggested', 'sold_max', 'ends_unix']
const FURTHER = [
  'plans',
  'quantity',
  'quantity_min',
  'quantity_max',
  'image',
  'success_url',
  'cancel_url',
  'webhook_url',
  'notify',
  'expire',
  'note',
  'mode',
  'every',
  'grace_days',
  'invoice',
  'invoice_seller',
  'invoice_tax',
]
export const LINK_FIELDS = [...BASIC, ...FURTHER]

interface LinkFieldsProps {
  filled: FormState
  currencies: readonly string[]
  walletsAllowed: boolean
  /** Fields that are fixed after creation are shown only for a new link. */
  isNew: boolean
}

const BasicFields = ({ filled, currencies, isNew }: LinkFieldsProps) => (
  <Card>
    <TextField
      filled={filled}
      name="title"
      label="Title"
      hint="What you sell, or what the donation is for."
      maxLength={120}
    />
    <div class="pair">
      <TextField
        filled={filled}
        name="amount"
        label="Price"
        hint="Leave empty for donations: the payer chooses."
        inputMode="decimal"
        placeholder="1.5"
      />
      {isNew && (
        <SelectField
          filled={filled}
          name="currency"
          label="Currency"
          required
          options={['NANO', ...currencies].map((code) => [code, code])}
        />
      )}
    </div>
    <TextField
      filled={filled}
      name="suggested"
      label="Suggested amounts"
      hint="For donations: up to six, separated by spaces."
      placeholder="1 5 10"
    />
    <TextField
      filled={filled}
      name="address"
      label="Your address"
      hint="Leave it empty to be paid where your money goes. Otherwise nano_… or @name."
    />
    {isNew && (
      <TextField
        filled={filled}
        name="slug"
        label="Link name"
        hint="3 to 40 letters, digits and dashes. It cannot be changed later. Leave empty to generate one."
        placeholder="blue-mug"
        maxLength={40}
      />
    )}
    <div class="pair">
      <TextField filled={filled} name="sold_max" label="Stock" hint="Leave empty for unlimited." inputMode="numeric" />
      <TextField
        filled={filled}
        name="ends_unix"
        label="Last day"
        hint="The link ends after this day, UTC."
        type="date"
      />
    </div>
    <TextField filled={filled} name="description" label="Description" rows={3} maxLength={1000} />
  </Card>
)

const InvoiceFields = ({ filled }: Pick<LinkFieldsProps, 'filled'>) => (
  <>
    <SelectField
      filled={filled}
      name="invoice"
      label="Invoices"
      hint="Every order gets an invoice, numbered when it is paid. Buyers enter their details on the link's page."
      options={[
        ['', 'None'],
        ['optional', 'Yes, buyer details optional'],
        ['required', 'Yes, name and address required'],
      ]}
    />
    <div class="pair">
      <TextField
        filled={filled}
        name="invoice_tax"
        label="Taxes in the price"
        hint="Per item, one per line: Title = amount."
        placeholder="VAT 20 % = 0.25"
        rows={2}
      />
      <TextField
        filled={filled}
        name="invoice_seller"
        label="Your details on the invoice"
        hint="Address and tax number, where required."
        rows={2}
        maxLength={500}
      />
    </div>
  </>
)

const FurtherFields = ({ filled, walletsAllowed }: LinkFieldsProps) => (
  <div class="further">
    <TextField
      filled={filled}
      name="plans"
      label="Plans"
      hint="Instead of a price. One per line: Title = price."
      placeholder={'Small = 1\nLarge = 2'}
      rows={3}
    />
    <div class="pair">
      <TextField filled={filled} name="quantity_min" label="Minimum quantity" inputMode="numeric" placeholder="1" />
      <TextField filled={filled} name="quantity_max" label="Maximum quantity" inputMode="numeric" placeholder="1" />
    </div>
    <div class="pair">
      <TextField
        filled={filled}
        name="every"
        label="Renews every"
        hint="month, year or a number of days. Payers get an email reminder; nothing is charged automatically."
        placeholder="month"
        maxLength={8}
      />
      <TextField
        filled={filled}
        name="grace_days"
        label="Grace period in days"
        hint="After a period ends, before the subscription lapses."
        inputMode="numeric"
        placeholder="0"
      />
    </div>
    <InvoiceFields filled={filled} />
    <TextField filled={filled} name="image" label="Image" hint="An https URL." type="url" />
    <div class="pair">
      <TextField filled={filled} name="success_url" label="Return URL after payment" type="url" />
      <TextField filled={filled} name="cancel_url" label="Return URL after cancelling" type="url" />
    </div>
    <div class="pair">
      <TextField filled={filled} name="webhook_url" label="Webhook" type="url" />
      <TextField filled={filled} name="notify" label="Email when paid" type="email" />
    </div>
    <TextField
      filled={filled}
      name="expire"
      label="Orders expire after"
      hint="Such as 30 minutes. Default: 15 minutes with limited stock, otherwise an hour."
    />
    <TextField filled={filled} name="note" label="Internal note" rows={2} maxLength={1000} />
    {walletsAllowed && (
      <SelectField
        filled={filled}
        name="mode"
        label="How payments are matched"
        required
        options={[
          ['unique_amount', 'By amount: a few extra digits make it unique'],
          ['generated_wallet', 'By wallet: a new wallet that forwards to your address'],
        ]}
      />
    )}
  </div>
)

/** The fields of an offer: common ones first, the rest behind one click. */
export const LinkFields = (props: LinkFieldsProps) => {
  const { filled } = props
  const hasSaid = (name: string) => name !== 'mode' && (filled.values[name] ?? '') !== ''
  const opensFurther = FURTHER.some((name) => filled.error?.field === name || hasSaid(name))
  return (
    <>
      <BasicFields {...props} />
      <details class="card" open={opensFurther}>
        <summary>More options: plans, subscription, quantity, invoices, image, redirects, webhook</summary>
        <FurtherFields {...props} />
      </details>
    </>
  )
}
