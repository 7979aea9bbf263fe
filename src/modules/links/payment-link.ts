import { answer } from '../../kernel/answers.ts'
import { form, readFreeFlag } from '../../kernel/free-field.ts'
import type { Field } from '../../kernel/resource/field.ts'
import {
  asked,
  count,
  flag,
  list,
  picture,
  secretOrNone,
  sum,
  text,
  url,
  whole,
  within,
} from '../../kernel/resource/fields.ts'
import { records } from '../../kernel/resource/records.ts'
import { type RecordOf, type RowOf, type ValuesOf, resource } from '../../kernel/resource/resource.ts'
import type { Json } from '../../kernel/shape.ts'
import { given } from '../../kernel/shown-fields.ts'
import {
  type Plan,
  amount,
  checkoutAction,
  currency,
  events,
  lifetime,
  metadata,
  payout,
  plans,
  proofWanted,
  signingSecret,
  webhookUrl,
} from '../checkout/index.ts'
import { email } from '../accounts/index.ts'
import { SUGGESTION, end, every, free, grace, mode, readQuantity, slug } from './link-fields.ts'
import { checkLinkInvoice, invoice } from './link-invoice.ts'
import type { LinkContext } from './context.ts'

const { text: TEXT, integer, orNull, record, words, raw, nano } = answer
const { public_key: _ofStrangers, invoice: _ofOne, ...CHECKOUT } = checkoutAction.input.properties

/** A field of the checkouts that a link makes: stored and described as theirs. */
const of = <T extends Json>(name: keyof typeof CHECKOUT, absent: T, declared: Field<T, 'set'>) =>
  within('fields', absent, { ...declared, takes: CHECKOUT[name]! })
/** Absent in answers where it is not set. */
const said = (name: keyof typeof CHECKOUT, declared: Field<string | null, 'set'>) =>
  of(name, null, { ...declared, schema: answer.optional(TEXT), show: (value) => value ?? undefined })
/** Read together with another field. */
const beside = (name: keyof typeof CHECKOUT, set: 'always' | 'once' = 'once') =>
  asked<unknown>({ takes: CHECKOUT[name]!, set, read: given })

/** An offer for many buyers: each visitor gets a checkout of their own. */
export const paymentLink = resource({
  plural: 'links',
  table: 'payment_links',
  path: '/api/links',
  scope: 'checkout',
  tag: 'links',
  owner: 'owner',
  times: 'unix',
  marksDeleted: true,
  rules: ({ checkouts: { clock, ports } }: LinkContext) => ({
    currencies: ports.prices.currencies,
    plainHttpAllowed: ports.rules.plainHttpAllowed,
    makesProofs: ports.proofs.isOn,
    now: clock.now(),
  }),
  fields: {
    title: said('title', text({ label: 'Name', max: 120, personal: true, isExpected: true })),
    address: within(
      'fields',
      null,
      payout({
        label: 'Your address',
        hint: 'Leave it empty to be paid where your money goes. Otherwise nano_… or @name.',
        example: '',
      }),
    ),
    // Fixed, because its revenue is in one currency.
    currency: of('currency', 'NANO', currency({ label: 'Currency', isForNew: true, set: 'once', example: 'NANO' })),
    lineItems: beside('line_items'),
    shipping: beside('shipping'),
    plans: of(
      'plans',
      [],
      plans({
        label: 'Variants',
        hint: 'Such as sizes, each with its price, instead of one price.',
        add: 'Add a variant',
      }),
    ),
    amount: of('amount', null, amount({ label: 'Price', placeholder: '12.50', isBeside: true, isExpected: true })),
    suggested: {
      ...list(SUGGESTION, {
        label: 'Suggested amounts',
        hint: 'Up to six. Givers may always choose another.',
        placeholder: '5.00',
        one: 'Amount',
        add: 'Add an amount',
        decimal: true,
        of: 'amounts',
        max: 6,
        personal: true,
      }),
      takes: free(form.list(form.amount), 'Without a price: up to 6 amounts to choose from.', ['1', '5']),
    },
    slug: slug({
      label: 'Link address',
      hint: 'The end of its URL. It cannot be changed later. Leave it empty to get a random one.',
      placeholder: 'blue-mug',
      isForNew: true,
    }),
    soldMax: {
      ...whole({ label: 'Stock', hint: 'Leave empty for unlimited.', max: 1_000_000 }),
      takes: free(form.amount, 'How many items there are. Open checkouts hold theirs until they end.', 100),
    },
    endsAt: end({ label: 'Last day', hint: 'The link ends after this day.', isBeside: true }),
    description: said('description', text({ label: 'Description', max: 1_000, lines: 2, personal: true })),
    quantityMin: { ...count(), isHidden: true },
    quantityMax: { ...count(), isHidden: true },
    quantity: asked<{ min: number; max: number } | undefined>({
      takes: free(
        form.record({ min: form.optional(form.amount), max: form.optional(form.amount) }),
        'How many items a visitor may buy, up to 1000; one by default.',
        { min: 1, max: 5 },
      ),
      control: {
        as: 'group',
        label: 'Quantity',
        parts: {
          min: { as: 'text', label: 'Minimum quantity', placeholder: '1', digits: true },
          max: { as: 'text', label: 'Maximum quantity', placeholder: '1', digits: true, isBeside: true },
        },
        tidy: ({ min = '1', max = min }) => ({ min, max }),
        unset: { min: 1, max: 1 },
      },
      read: (value, { path }) => readQuantity(path, value),
    }),
    every: every({
      label: 'Renews every',
      hint: 'Payers get an email reminder; nothing is charged automatically.',
    }),
    graceDays: grace({
      label: 'Grace period in days',
      hint: 'After a period ends, before the subscription lapses.',
      placeholder: '0',
      isBeside: true,
      unset: 0,
    }),
    invoice: within('fields', null, invoice({ label: 'Invoices' })),
    image: said('image', picture({ label: 'Picture', hint: 'PNG, JPEG or WebP.' })),
    successUrl: said('success_url', url({ label: 'Return URL after payment' })),
    cancelUrl: said('cancel_url', url({ label: 'Return URL after cancelling', isBeside: true })),
    webhook: beside('webhook', 'always'),
    webhookUrl: said('webhook_url', webhookUrl({ label: 'Webhook' })),
    asksWebhookSecret: { ...signingSecret(), wire: 'webhook_secret', takes: CHECKOUT.webhook_secret! },
    webhookEvents: of('webhook_events', [], events()),
    webhookProof: of('webhook_proof', false, proofWanted()),
    notify: said('notify', email({ label: 'Email when paid', isBeside: true })),
    expire: said(
      'expire',
      lifetime({
        label: 'Orders expire after',
        hint: 'Usually 15 minutes with limited stock, otherwise an hour.',
      }),
    ),
    metadata: of('metadata', {}, metadata()),
    note: said('note', text({ label: 'Internal note', max: 1_000, lines: 2, personal: true })),
    random: asked({ takes: CHECKOUT.random!, read: (value, { path }) => readFreeFlag(path, value) }),
    mode: of('mode', 'unique_amount', mode({ label: 'How payments are matched' })),
    template: beside('template'),
    isPaused: { ...flag(), takes: free(form.flag, 'Whether it is paused and takes no orders.', false) },
    webhookSecret: secretOrNone(),
    /** Pieces in open checkouts, and in paid ones; changed in the transactions of those checkouts. */
    held: { ...count(), isHidden: true },
    sold: { ...count(), isHidden: true },
    /** Paid checkouts, their revenue, and the sum of their fiat prices in 10^-8. */
    orders: { ...count(), isHidden: true },
    revenueRaw: sum(),
    revenueE8: sum(),
  },
  derived: {
    url: { as: answer.url, from: (link, { urlOf }) => urlOf(link.slug) },
    quantity: {
      as: record({ min: integer, max: integer }),
      from: ({ quantityMin: min, quantityMax: max }) => ({ min, max }),
    },
    webhook_secret_set: { as: answer.bool, from: ({ webhookSecret }) => webhookSecret !== null },
  },
  /** Sums, which `showLinks` adds. */
  beside: {
    status: words('active', 'paused', 'sold_out', 'ended'),
    sold: integer,
    held: integer,
    left: orNull(integer),
    orders: integer,
    ...{ revenue: nano, revenue_raw: raw, revenue_fiat: orNull(TEXT) },
    ...{ refunded: nano, refunded_raw: raw, refunded_fiat: orNull(TEXT) },
    ...{ net: nano, net_raw: raw, net_fiat: orNull(TEXT) },
  },
  refuse: {
    random: (link) =>
      link.random === true && link.mode === 'generated_wallet'
        ? 'random: true only works with mode unique_amount.'
        : undefined,
    webhook: ({ webhook = null, webhookUrl }) =>
      webhook === null || webhookUrl === undefined || webhook === webhookUrl
        ? undefined
        : 'webhook and webhook_url mean the same and have different values.',
    suggested: (link) =>
      link.suggested?.length && hasPrice(link) ? 'suggested is for links without a price.' : undefined,
    quantity: (link, held) => {
      const max = link.quantity?.max ?? held?.quantityMax ?? 1
      if (max > 1 && !isCountable(link)) return 'quantity needs a price without X.'
      return max > 1 && link.every ? 'A subscription is for one piece.' : undefined
    },
    every: (link) => (link.every && !isCountable(link) ? 'every needs a price without X.' : undefined),
    soldMax: (link) => (link.every && link.soldMax ? 'A subscription has no number of pieces.' : undefined),
    invoice: (link) => {
      const isFilled = hasPrice(link) && !isCountable(link)
      if (link.invoice)
        checkLinkInvoice(link.invoice, { isOnePrice: link.amount !== null && !link.plans?.length, isFilled })
      return undefined
    },
  },
})

export type PaymentLink = RecordOf<typeof paymentLink.fields>
export type LinkValues = ValuesOf<typeof paymentLink.fields>
export type LinkColumns = RowOf<typeof paymentLink.fields>

export const paymentLinks = records(paymentLink)

/** A wrong price is undefined and counts as a price. */
type Priced = { amount?: string | null; plans?: Plan[] }
const hasPrice = ({ amount: price, plans }: Priced) => price !== null || (plans?.length ?? 0) > 0
/** Whether a number of pieces has a price: digits to fill are chosen for each checkout. */
const isCountable = (link: Priced) =>
  hasPrice(link) &&
  ![link.amount ?? '', ...(link.plans ?? []).map(({ value }: Plan) => value)].some((price) => /X/i.test(price))
