import type { FormState } from '../../../kernel/page.ts'
import { SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Card } from '../../../web/dashboard/show.tsx'

export const POS_FIELDS = ['title', 'currency', 'address', 'items', 'tips', 'time_zone', 'pin']

interface PosFieldsProps {
  filled: FormState
  currencies: readonly string[]
  /** What is fixed, or set elsewhere, once it is made is not asked for again. */
  isNew: boolean
}

export const PosFields = ({ filled, currencies, isNew }: PosFieldsProps) => (
  <Card>
    <TextField
      filled={filled}
      name="title"
      label="Title"
      hint="Shown to cashiers and payers."
      placeholder="Counter"
      maxLength={80}
      required
    />
    <div class="pair">
      <TextField
        filled={filled}
        name="address"
        label="Your address"
        hint="Where you receive the money: nano_… or @name."
        required
      />
      {isNew && (
        <SelectField
          filled={filled}
          name="currency"
          label="Currency"
          hint="Used on the keypad. It cannot be changed later."
          required
          options={['NANO', ...currencies].map((code) => [code, code])}
        />
      )}
    </div>
    <TextField
      filled={filled}
      name="items"
      label="Items"
      hint="Buttons next to the keypad. One per line: Title = price."
      placeholder={'Espresso = 2.20\nCake = 3.80'}
      rows={4}
    />
    <div class="pair">
      <TextField
        filled={filled}
        name="tips"
        label="Tips"
        hint="Up to four percentages that payers can choose, separated by spaces."
        placeholder="5 10 15"
      />
      <TextField
        filled={filled}
        name="time_zone"
        label="Time zone"
        hint="Used for daily totals, such as Europe/Berlin. Defaults to UTC."
      />
    </div>
    {isNew && (
      <TextField
        filled={filled}
        name="pin"
        label="PIN"
        hint="4 to 8 digits that cashiers enter once per shift. Without one, anyone with the link can sell."
        type="password"
        inputMode="numeric"
        autocomplete="new-password"
        maxLength={8}
      />
    )}
  </Card>
)
