import type { FrameProps } from '../../../kernel/page.ts'
import { Form, ProveFirst } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { FieldCards, type FieldsProps, type Layout, Refusals } from '../../../web/dashboard/resource-form.tsx'
import { Card } from '../../../web/dashboard/show.tsx'
import { checkoutForm } from '../checkout-form.ts'

const TERMS = ['currency', 'amount', 'plans', 'address']

const LAYOUT: Layout = {
  first: ['title', 'description', ...TERMS, 'image'],
  more: [
    { title: 'After payment', fields: ['success_url', 'cancel_url', 'notify'] },
    { title: 'Technical', fields: ['webhook_url', 'metadata', 'note'] },
  ],
}

interface EditProps extends Pick<FieldsProps, 'filled' | 'rules'> {
  frame: FrameProps
  id: string
  /** Whether no payer can have seen its terms. */
  isUnseen: boolean
  hasPlans: boolean
  isFresh: boolean
}

/** The form for a checkout's texts, and for its terms as long as those may change. */
export const EditCheckoutPage = ({ frame, id, isUnseen, hasPlans, isFresh, ...shown }: EditProps) => {
  const place = `/dashboard/checkouts/${id}`
  const fields = { ...shown, of: checkoutForm, purpose: 'change' } as const
  const has = (wire: string) => wire !== (hasPlans ? 'amount' : 'plans') && (isUnseen || !TERMS.includes(wire))
  return (
    <Frame {...frame} title="Edit payment" lead={<code>{id}</code>}>
      {isFresh ? (
        <Form frame={frame} action={`${place}/edit`} label="Edit payment" uploads>
          <Refusals {...fields} />
          {isUnseen && <p class="hint">Price and address can be changed until someone opens the payment page.</p>}
          <FieldCards {...fields} layout={LAYOUT} has={has} />
          <div class="save">
            <a class="button plain" href={place}>
              Cancel
            </a>
            <button>Save</button>
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
