import type { FrameProps } from '../../../kernel/page.ts'
import { pictureIdIn } from '../../../kernel/shown-fields.ts'
import { Form } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Fields, type FieldsProps, Refusals } from '../../../web/dashboard/resource-form.tsx'
import { Card, Empty } from '../../../web/dashboard/show.tsx'
import { MerchantFoot, MerchantHead, type ShownMerchant } from '../../../web/merchant.tsx'
import { accountProfile } from '../account-profile.ts'

interface ProfilePageProps extends Pick<FieldsProps, 'filled' | 'rules'> {
  frame: FrameProps
  /** The profile as it is saved. */
  merchant: ShownMerchant | undefined
}

/** The form of the account's public profile. */
export const ProfilePage = ({ frame, filled, rules, merchant }: ProfilePageProps) => (
  <Frame {...frame} title="Your shop" lead="Shown to payers on payment pages, receipts and emails.">
    <div class="row two">
      <Card>
        <Refusals of={accountProfile} purpose="change" filled={filled} />
        <Form frame={frame} action="/dashboard/profile" uploads>
          <Fields of={accountProfile} purpose="change" filled={filled} rules={rules} />
          {merchant?.logo && pictureIdIn(filled.values.logo ?? '') === undefined && (
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
