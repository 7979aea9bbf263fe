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
]
export const LINK_FIELDS = [...BASIC, ...FURTHER]

interface LinkFieldsProps {
  filled: FormState
  currencies: readonly string[]
  walletsAllowed: boolean
  /** What is fixed once it is made is not asked for again. */
  isNew: boolean
}

const BasicFields = ({ filled, currencies, isNew }: LinkFieldsProps) => (
  <Card>
    <TextField
      filled={filled}
      name="title"
      label="Title"
      hint="What is sold, or what it is given for."
      maxLength={120}
    />
    <div class="pair">
      <TextField
        filled={filled}
        name="amount"
        label="Price"
        hint="Empty: a donation, the payer decides."
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
      hint="For donations: up to six, with blanks between."
      placeholder="1 5 10"
    />
    <TextField
      filled={filled}
      name="address"
      label="Your address"
      hint="Where the money goes: nano_… or @name."
      required
    />
    {isNew && (
      <TextField
        filled={filled}
        name="slug"
        label="End of the link"
        hint="3 to 40 letters, digits and dashes. It stays as it is. Empty: we choose one."
        placeholder="blue-mug"
        maxLength={40}
      />
    )}
    <div class="pair">
      <TextField
        filled={filled}
        name="sold_max"
        label="Pieces there are"
        hint="Empty: as many as are wanted."
        inputMode="numeric"
      />
      <TextField
        filled={filled}
        name="ends_unix"
        label="Last day"
        hint="It ends when that day is over, UTC."
        type="date"
      />
    </div>
    <TextField filled={filled} name="description" label="Description" rows={3} maxLength={1000} />
  </Card>
)

const FurtherFields = ({ filled, walletsAllowed }: LinkFieldsProps) => (
  <div class="further">
    <TextField
      filled={filled}
      name="plans"
      label="Plans"
      hint="Instead of a price: one a line, as Title = price."
      placeholder={'Small = 1\nLarge = 2'}
      rows={3}
    />
    <div class="pair">
      <TextField filled={filled} name="quantity_min" label="Smallest quantity" inputMode="numeric" placeholder="1" />
      <TextField filled={filled} name="quantity_max" label="Largest quantity" inputMode="numeric" placeholder="1" />
    </div>
    <div class="pair">
      <TextField
        filled={filled}
        name="every"
        label="Paid again every"
        hint="month, year, or a number of days. Payers leave an e-mail address and are reminded; nothing is taken by itself."
        placeholder="month"
        maxLength={8}
      />
      <TextField
        filled={filled}
        name="grace_days"
        label="Days of grace"
        hint="After the end of a period, before a subscription lapses."
        inputMode="numeric"
        placeholder="0"
      />
    </div>
    <TextField filled={filled} name="image" label="Image" hint="An https address." type="url" />
    <div class="pair">
      <TextField filled={filled} name="success_url" label="Page after payment" type="url" />
      <TextField filled={filled} name="cancel_url" label="Page after cancelling" type="url" />
    </div>
    <div class="pair">
      <TextField filled={filled} name="webhook_url" label="Webhook" type="url" />
      <TextField filled={filled} name="notify" label="Mail when paid" type="email" />
    </div>
    <TextField
      filled={filled}
      name="expire"
      label="How long an order can be paid"
      hint="Such as 30 minutes. Empty: 15 minutes where pieces are counted, an hour otherwise."
    />
    <TextField filled={filled} name="note" label="Note to yourself" rows={2} maxLength={1000} />
    {walletsAllowed && (
      <SelectField
        filled={filled}
        name="mode"
        label="How a payment is recognised"
        required
        options={[
          ['unique_amount', 'By its amount: a small tail makes it unique'],
          ['generated_wallet', 'By a wallet made for it, emptied to your address'],
        ]}
      />
    )}
  </div>
)

/** Everything about an offer: what most need first, the rest behind one click. */
export const LinkFields = (props: LinkFieldsProps) => {
  const { filled } = props
  const hasSaid = (name: string) => name !== 'mode' && (filled.values[name] ?? '') !== ''
  const opensFurther = FURTHER.some((name) => filled.error?.field === name || hasSaid(name))
  return (
    <>
      <BasicFields {...props} />
      <details class="card" open={opensFurther}>
        <summary>Plans, subscription, quantity, picture, redirects, webhook</summary>
        <FurtherFields {...props} />
      </details>
    </>
  )
}
