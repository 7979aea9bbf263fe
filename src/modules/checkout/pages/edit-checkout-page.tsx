import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Form, FormError, ProveFirst, SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card } from '../../../web/dashboard/show.tsx'

export const SHOWN_FIELDS = [
  'title',
  'description',
  'image',
  'success_url',
  'cancel_url',
  'webhook_url',
  'notify',
  'note',
  'metadata',
] as const
export const TERMS_FIELDS = ['amount', 'currency', 'address', 'plans'] as const

interface EditProps {
  frame: FrameProps
  filled: FormState
  id: string
  currencies: readonly string[]
  /** Whether no payer can have seen its terms. */
  isUnseen: boolean
  hasPlans: boolean
  isFresh: boolean
}

const Terms = ({ filled, currencies, hasPlans }: Pick<EditProps, 'filled' | 'currencies' | 'hasPlans'>) => (
  <Card title="Price and address" note="Editable until someone opens the payment page.">
    <div class="pair">
      {hasPlans ? (
        <TextField filled={filled} name="plans" label="Plans" hint="One per line: Title = price." rows={3} required />
      ) : (
        <TextField
          filled={filled}
          name="amount"
          label="Price"
          hint="Leave empty to let the payer choose."
          inputMode="decimal"
          maxLength={80}
        />
      )}
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
      hint="Where you receive the money: nano_… or @name."
      required
    />
  </Card>
)

/** The form for a checkout's texts, and for its terms as long as those may change. */
export const EditCheckoutPage = (props: EditProps) => {
  const { frame, filled, id, isUnseen, isFresh } = props
  const place = `/dashboard/checkouts/${id}`
  return (
    <Frame {...frame} title="Edit checkout" lead={<code>{id}</code>}>
      {isFresh ? (
        <Form frame={frame} action={`${place}/edit`} label="Edit checkout">
          <FormError filled={filled} fields={[...SHOWN_FIELDS, ...(isUnseen ? TERMS_FIELDS : [])]} />
          {isUnseen && <Terms {...props} />}
          <Card title="Details">
            <TextField filled={filled} name="title" label="Title" maxLength={120} />
            <TextField filled={filled} name="description" label="Description" rows={3} maxLength={1000} />
            <TextField filled={filled} name="image" label="Image" hint="An https URL." type="url" />
            <div class="pair">
              <TextField filled={filled} name="success_url" label="Return URL after payment" type="url" />
              <TextField filled={filled} name="cancel_url" label="Return URL after cancelling" type="url" />
            </div>
            <TextField filled={filled} name="webhook_url" label="Webhook" type="url" />
            <TextField
              filled={filled}
              name="notify"
              label="Receipt to"
              type="email"
              hint="We email a receipt once it is paid."
            />
            <TextField filled={filled} name="note" label="Internal note" rows={2} maxLength={1000} />
            <TextField filled={filled} name="metadata" label="Metadata" hint="A JSON object." rows={3} />
          </Card>
          <div class="actions">
            <button>Save</button>
            <a class="button plain" href={place}>
              Cancel
            </a>
          </div>
        </Form>
      ) : (
        <Card title="Confirm it’s you">
          <ProveFirst next={`${place}/edit`} />
        </Card>
      )}
    </Frame>
  )
}
