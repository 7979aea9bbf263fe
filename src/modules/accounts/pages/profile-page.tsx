import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Form, FormError, TextField } from '../../../web/dashboard/form.tsx'
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
] as const

interface ProfilePageProps {
  frame: FrameProps
  filled: FormState
  /** As it is saved. */
  merchant: ShownMerchant | undefined
}

/** Who the account is to those who pay it. */
export const ProfilePage = ({ frame, filled, merchant }: ProfilePageProps) => (
  <Frame {...frame} title="Profile" lead="Who is being paid: shown on payment pages, receipts and mails.">
    <div class="row two">
      <Card title="Your profile">
        <FormError filled={filled} fields={PROFILE_FIELDS} />
        <Form frame={frame} action="/dashboard/profile">
          <TextField
            filled={filled}
            name="name"
            label="Name"
            hint="Without one, payers see your address alone."
            maxLength={80}
          />
          <TextField
            filled={filled}
            name="logo"
            label="Logo"
            hint="An https address of a PNG, JPEG or WebP of up to 512 KB and 2048 pixels. We keep a copy."
            type="url"
          />
          <TextField filled={filled} name="website" label="Website" type="url" />
          <TextField filled={filled} name="support_email" label="Mail address for questions" type="email" />
          <TextField filled={filled} name="support_url" label="Page for questions" type="url" />
          <TextField filled={filled} name="terms_url" label="Terms" type="url" />
          <TextField
            filled={filled}
            name="accent"
            label="Colour"
            hint="Such as #1a5fc7. Texts are made darker or lighter than it where they could not be read."
            placeholder="#1a5fc7"
            maxLength={7}
          />
          {merchant?.logo && (
            <label class="choice">
              <input type="checkbox" name="fetch_again" value="yes" />
              <span>The picture at the logo's address has changed</span>
            </label>
          )}
          <button>Save profile</button>
        </Form>
      </Card>
      <Card title="What payers see" note="As it is saved now.">
        {merchant ? <Preview merchant={merchant} /> : <Empty title="Your address alone, until you save a name" />}
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
