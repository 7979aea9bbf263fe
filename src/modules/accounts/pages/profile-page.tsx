import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Form, FormError, SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Empty } from '../../../web/dashboard/show.tsx'
import { MerchantFoot, MerchantHead, type ShownMerchant } from '../../../web/merchant.tsx'

export const PROFILE_FIELDS = [
  'name',
  'logo',
  'website',
  'support_email',
  'support_url',
  'terms_url',
  'accent',
  'currency',
  'time_zone',
] as const

interface ProfilePageProps {
  frame: FrameProps
  filled: FormState
  currencies: readonly string[]
  /** The profile as it is saved. */
  merchant: ShownMerchant | undefined
}

/** The form of the account's public profile. */
export const ProfilePage = ({ frame, filled, currencies, merchant }: ProfilePageProps) => (
  <Frame {...frame} title="Your shop" lead="Shown to payers on payment pages, receipts and emails.">
    <div class="row two">
      <Card>
        <FormError filled={filled} fields={PROFILE_FIELDS} />
        <Form frame={frame} action="/dashboard/profile">
          <TextField
            filled={filled}
            name="name"
            label="Name"
            hint="Without a name, payers only see your address."
            maxLength={80}
          />
          <div class="pair">
            <SelectField
              filled={filled}
              name="currency"
              label="Currency"
              hint="Your amounts are shown in it first."
              required
              options={['NANO', ...currencies].map((code) => [code, code === 'NANO' ? 'Nano' : code])}
            />
            <TextField
              filled={filled}
              name="time_zone"
              label="Time zone"
              hint="Your days end at its midnight."
              placeholder="Europe/Berlin"
              maxLength={64}
            />
          </div>
          <TextField
            filled={filled}
            name="logo"
            label="Logo"
            hint="An https URL of a PNG, JPEG or WebP up to 512 KB and 2048 pixels. We store a copy."
            type="url"
          />
          <TextField filled={filled} name="website" label="Website" type="url" />
          <TextField filled={filled} name="support_email" label="Support email" type="email" />
          <TextField filled={filled} name="support_url" label="Support page" type="url" />
          <TextField filled={filled} name="terms_url" label="Terms of service" type="url" />
          <TextField
            filled={filled}
            name="accent"
            label="Colour"
            hint="Such as #1a5fc7. Text is adjusted to stay readable."
            placeholder="#1a5fc7"
            maxLength={7}
          />
          {merchant?.logo && (
            <label class="choice">
              <input type="checkbox" name="fetch_again" value="yes" />
              <span>Fetch the logo again</span>
            </label>
          )}
          <button>Save</button>
        </Form>
      </Card>
      <Card title="Preview" note="What payers see, as saved.">
        {merchant ? <Preview merchant={merchant} /> : <Empty title="Only your address, until you save a name" />}
      </Card>
    </div>
  </Frame>
)

const Preview = ({ merchant }: { merchant: ShownMerchant }) => (
  <div class="pay preview">
    {merchant.sheet !== null && <link rel="stylesheet" href={merchant.sheet} />}
    <MerchantHead {...merchant} />
    <p class="preview-price">
      1.5 <span class="unit">nano</span>
    </p>
    <p>
      <span class="button">Open wallet</span>
    </p>
    <MerchantFoot merchant={merchant} words={{ contact: 'Contact', terms: 'Terms' }} beside />
  </div>
)
