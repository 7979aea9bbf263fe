import { answer } from '../../kernel/answers.ts'
import type { Labelled } from '../../kernel/resource/field.ts'
import { asked, field, picture, text, url } from '../../kernel/resource/fields.ts'
import { type RecordOf, entity } from '../../kernel/resource/resource.ts'
import { email } from '../accounts/index.ts'
import { readBuyer } from './buyers/request.ts'
import type { CheckoutContext } from './context.ts'
import { readInvoice } from './invoices/fields.ts'
import { amount, currency, lifetime, metadata, payout, plans, webhookUrl } from './resource-fields.ts'
import type { Checkout } from './record.ts'
import type { CheckoutMode } from './record.ts'
import { readMode } from './wire-fields.ts'

/*
 * The forms of a single payment. Their fields are declared like those of links and tills, so that all errors are shown
 * at once, each beside its field.
 */

/** The fields of a checkout that people fill in. Requests of programs are read by the action. */
export const checkoutForm = entity({
  table: 'checkouts',
  owner: 'owner',
  key: ['id'],
  rules: ({ ports }: CheckoutContext) => ({
    currencies: ports.prices.currencies,
    plainHttpAllowed: ports.rules.plainHttpAllowed,
  }),
  fields: {
    title: text({ label: 'What for', max: 120, isExpected: true }),
    description: text({ label: 'Description', max: 1_000, lines: 2 }),
    currency: currency({ label: 'Currency', set: 'always', example: 'NANO' }),
    plans: plans({
      label: 'Variants',
      hint: 'Such as sizes, each with its price, instead of one price.',
      add: 'Add a variant',
    }),
    amount: amount({
      label: 'Price',
      hint: 'Leave it empty to let the payer choose.',
      placeholder: '12.50',
      isBeside: true,
    }),
    address: payout({
      label: 'Your address',
      hint: 'Leave it empty to be paid where your money goes. Otherwise nano_… or @name.',
      example: '',
    }),
    mode: mode({ label: 'How payments are matched', isForNew: true }),
    image: picture({ label: 'Picture', hint: 'PNG, JPEG or WebP.' }),
    buyer: asked<unknown>({
      takes: answer.text,
      control: {
        as: 'group',
        label: 'Buyer',
        isForNew: true,
        parts: {
          name: { as: 'text', label: 'Name of the buyer', max: 120 },
          email: {
            as: 'text',
            label: 'Email of the buyer',
            type: 'email',
            isBeside: true,
          },
        },
      },
      read: (value) => readBuyer(value),
    }),
    invoice: asked<unknown>({
      takes: answer.text,
      control: invoice({ label: 'Invoice', isForNew: true }),
      // With a wrong currency, which has a refusal of its own, the taxes do not matter.
      read: (value, { others }) => readInvoice(value, typeof others.currency === 'string' ? others.currency : 'NANO'),
    }),
    successUrl: url({ label: 'Return URL after payment' }),
    cancelUrl: url({ label: 'Return URL after cancelling', isBeside: true }),
    notify: email({ label: 'Email me when paid' }),
    expire: lifetime({ label: 'Expires after', isForNew: true }),
    webhookUrl: webhookUrl({ label: 'Webhook', hint: 'Receives payment events, signed with your webhook secret.' }),
    metadata: metadata(),
    note: text({ label: 'Internal note', max: 1_000, lines: 2 }),
  },
})

type FormRecord = RecordOf<typeof checkoutForm.fields>

/** A checkout as its form shows it. */
export const toFormRecord = (checkout: Checkout): FormRecord => ({
  ...checkout,
  plans: checkout.plans.map(({ title, value, discount }) => ({ title, value, discount })),
  amount: checkout.price,
  address: checkout.merchantAddress,
  expire: null,
})

function mode(labelled: Labelled) {
  return field<CheckoutMode>({
    schema: answer.words('unique_amount', 'unique_address', 'generated_wallet'),
    takes: answer.text,
    control: {
      as: 'choice',
      options: ({ hasWallets }) => [
        ['unique_amount', 'By amount: a few extra digits make it unique'],
        ['unique_address', 'By address: use this address for nothing else'],
        ...(hasWallets ? [['generated_wallet', 'By wallet: a new wallet that forwards to your address'] as const] : []),
      ],
      ...labelled,
    },
    read: (value) => readMode({ mode: value }),
  })
}

function invoice(labelled: Labelled) {
  const line = (label: string, decimal?: true) => ({
    control: { as: 'text', label, ...(decimal && { decimal }) } as const,
  })
  return {
    as: 'group',
    parts: {
      lines: {
        as: 'rows',
        label: 'Invoice lines',
        hint: 'Lines and taxes must add up to the price.',
        columns: { title: line('Item'), price: line('Price', true), quantity: line('Quantity', true) },
        max: 100,
        one: 'Line',
        add: 'Add a line',
      },
      tax: {
        as: 'rows',
        label: 'Taxes on the invoice',
        hint: 'In percent of the lines.',
        columns: { title: line('Tax'), percent: line('%', true) },
        max: 10,
        one: 'Tax',
        add: 'Add a tax',
      },
      buyer: {
        as: 'group',
        label: 'Buyer on the invoice',
        hint: 'Anyone with the payment link can read it.',
        parts: {
          name: { as: 'text', label: 'Name on the invoice', max: 120 },
          tax_id: { as: 'text', label: 'Tax number of the buyer', max: 40, isBeside: true },
          address: { as: 'text', label: 'Address of the buyer', lines: 2, max: 500 },
        },
      },
      seller: {
        as: 'text',
        label: 'Seller on the invoice',
        hint: 'Your address and tax number, where required by law.',
        lines: 2,
        max: 500,
      },
      number: {
        as: 'text',
        label: 'Invoice number',
        hint: 'Leave it empty to get the next number once it is paid.',
        max: 40,
      },
    },
    ...labelled,
  } as const
}
