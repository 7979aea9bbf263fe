import type { ComponentChildren } from 'preact'
import type { FrameProps } from '../../../kernel/page.ts'
import { Form } from '../../../web/dashboard/form.tsx'
import { FieldCards, type FieldsProps, type Layout, Refusals } from '../../../web/dashboard/resource-form.tsx'
import { Card } from '../../../web/dashboard/show.tsx'
import { paymentLink } from '../payment-link.ts'

/* The form of a link begins with what it is for; each purpose has about six fields, and the others are behind a click. */

const PURPOSES = {
  product: { title: 'Product', hint: 'A price, variants, stock' },
  donation: { title: 'Donation', hint: 'The giver chooses' },
  membership: { title: 'Membership', hint: 'Renewed by reminder' },
} as const

export type Purpose = keyof typeof PURPOSES

export const toPurpose = (text: string | undefined): Purpose | undefined =>
  text !== undefined && Object.hasOwn(PURPOSES, text) ? (text as Purpose) : undefined

const SOLD: readonly Purpose[] = ['product', 'membership']
const PRODUCT: readonly Purpose[] = ['product']
const MEMBERSHIP: readonly Purpose[] = ['membership']

const LAYOUT = {
  first: [
    ...['title', 'description', 'image', 'currency', 'amount', 'suggested', 'every', 'plans'],
    ...['sold_max', 'slug', 'address'],
  ],
  more: [
    { title: 'End and quantity', fields: ['ends_unix', 'quantity', 'grace_days'] },
    { title: 'Invoice and tax', fields: ['invoice'] },
    { title: 'After payment', fields: ['success_url', 'cancel_url', 'notify'] },
    { title: 'Technical', fields: ['mode', 'expire', 'webhook_url', 'metadata', 'note'] },
  ],
  only: {
    amount: SOLD,
    plans: SOLD,
    suggested: ['donation'],
    every: MEMBERSHIP,
    grace_days: MEMBERSHIP,
    sold_max: PRODUCT,
    quantity: PRODUCT,
  },
} satisfies Layout

/** Whether links of a purpose have a field. */
export const hasField = (purpose: Purpose | undefined) => (wire: string) =>
  purpose === undefined || !(wire in LAYOUT.only) || LAYOUT.only[wire as keyof typeof LAYOUT.only].includes(purpose)

/** An account with a payout address needs no address here. */
const layoutFor = (hasPayout: boolean): Layout => {
  if (!hasPayout) return LAYOUT
  const more = LAYOUT.more.map((group) =>
    group.title === 'Technical' ? { ...group, fields: ['address', ...group.fields] } : group,
  )
  return { ...LAYOUT, first: LAYOUT.first.filter((wire) => wire !== 'address'), more }
}

const Purposes = ({ chosen }: { chosen: Purpose }) => (
  <Card>
    <fieldset class="field">
      <legend>What is it for?</legend>
      <div class="picks three">
        {Object.entries(PURPOSES).map(([purpose, { title, hint }]) => (
          <label class="pick" key={purpose}>
            <input type="radio" name="for" value={purpose} checked={purpose === chosen} />
            <span>
              <strong>{title}</strong>
              <span class="soft">{hint}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  </Card>
)

export interface LinkFormProps extends Pick<FieldsProps, 'filled' | 'rules'> {
  frame: FrameProps
  purpose: Purpose
  /** Whether the account has an address where its money goes. */
  hasPayout: boolean
}

/** For a new link the purpose can be chosen; one that exists keeps its own. */
export const LinkForm = (props: LinkFormProps & { isNew?: true; action: string; children: ComponentChildren }) => {
  const { purpose, hasPayout, isNew, filled, rules } = props
  const fields = { filled, rules, of: paymentLink, purpose: isNew ? 'create' : 'change' } as const
  return (
    <Form frame={props.frame} action={props.action} uploads>
      <Refusals {...fields} />
      {isNew && <Purposes chosen={purpose} />}
      <FieldCards {...fields} layout={layoutFor(hasPayout)} {...(!isNew && { has: hasField(purpose) })} />
      <div class="save">
        <button>{props.children}</button>
      </div>
    </Form>
  )
}
