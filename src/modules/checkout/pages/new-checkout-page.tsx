import type { FrameProps } from '../../../kernel/page.ts'
import { Form } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { FieldCards, type FieldsProps, type Layout, Refusals } from '../../../web/dashboard/resource-form.tsx'
import { checkoutForm } from '../checkout-form.ts'

const layoutFor = (hasPayout: boolean): Layout => ({
  first: ['title', 'currency', 'amount', 'description', 'buyer', ...(hasPayout ? [] : ['address'])],
  more: [
    { title: 'Variants and picture', fields: ['plans', 'image'] },
    { title: 'Invoice', fields: ['invoice'] },
    { title: 'After payment', fields: ['success_url', 'cancel_url', 'notify'] },
    {
      title: 'Technical',
      fields: [...(hasPayout ? ['address'] : []), 'mode', 'expire', 'webhook_url', 'metadata', 'note'],
    },
  ],
})

/** The form for a checkout by hand: the common fields first, the rest behind one click. */
export const NewCheckoutPage = (
  props: Pick<FieldsProps, 'filled' | 'rules'> & { frame: FrameProps; hasPayout: boolean },
) => {
  const { frame, hasPayout, ...shown } = props
  const fields = { ...shown, of: checkoutForm, purpose: 'create' } as const
  return (
    <Frame {...frame} title="New payment" lead="A payment page for one buyer, whose link you share.">
      <Form frame={frame} action="/dashboard/checkouts" uploads>
        <Refusals {...fields} />
        <FieldCards {...fields} layout={layoutFor(hasPayout)} />
        <div class="save">
          <button>Create payment</button>
        </div>
      </Form>
    </Frame>
  )
}
