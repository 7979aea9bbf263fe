import { action } from '../../../kernel/action.ts'
import { AppError, toFieldError } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { form, freeField } from '../../../kernel/free-field.ts'
import { checkoutNotFound, keyRequired } from '../errors.ts'
import { refundCheckout } from '../refunds/refund.ts'
import { readRefund } from '../refunds/request.ts'
import { ownRefund } from '../refunds/shape.ts'
import type { CheckoutContext } from '../context.ts'
import { toCheckoutId } from '../wire-fields.ts'

const free = (...asked: Parameters<typeof freeField>) => optional(freeField(...asked))

export const checkoutRefund = action({
  name: 'checkout_refund',
  summary: 'Refunds a checkout, fully or in part: to the payer, to an address, or as a link.',
  input: input({
    id: field.id('The checkout.'),
    amount: free(form.amount, 'In nano; by default everything paid and not yet refunded.', '0.5'),
    fiat_amount: free(form.amount, 'The same in the currency of the checkout.', '10.00'),
    rate: free(form.words('paid', 'now'), 'The rate for `fiat_amount`: that of the payment, or the current one.'),
    address: free(form.text, 'Where it goes; by default to the payer.'),
    from: free(
      form.text,
      'A cloud wallet of yours that pays. By default the wallet of the checkout if it holds enough, otherwise the cloud wallet that was paid.',
    ),
    as: free(
      form.words('send', 'link'),
      '`link` creates a link with which the payer claims the refund; it is valid for 30 days.',
    ),
    reason: free(form.text, 'For your records, up to 280 characters.', 'Sold out'),
  }),
  fieldSynonyms: { checkout: 'id', checkout_id: 'id' },
  example: {
    request: { id: '5c363461a1b2c3d4', amount: '0.5', reason: 'Sold out' },
    response: {
      id: 'rfd_2p7RkAq0eXbV',
      checkout_id: '5c363461a1b2c3d4',
      status: 'sending',
      as: 'send',
      amount: '0.5',
      amount_raw: '500000000000000000000000000000',
      address: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
      from: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
      hash: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
      block_url: 'https://nanolooker.com/block/7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
      reason: 'Sold out',
      failure: null,
      created_unix: 1794710043,
      sent_unix: null,
      ended_unix: null,
    },
  },
  output: ownRefund.schema,
  errors: {
    refund_address_required:
      'The payer is an exchange or a wallet of the service, or there are several: name `address`.',
    refund_source_required: 'No wallet of the service holds the money: name `from`.',
    refund_too_large: 'More than was paid and not yet refunded; `refundable` says how much is left.',
    insufficient_funds: 'The wallet does not have enough funds.',
    wallet_not_found: '`from` is not a cloud wallet of the account.',
    wallet_frozen: 'The wallet is frozen while the operator investigates.',
    feature_disabled: 'Sending is disabled.',
    limit_reached: 'More than a wallet may send at once, or the account in a day.',
    spending_limit: 'More nano than this key may spend in a day; see `limit`, `spent` and `resets_unix`.',
    no_price: '`rate` is `now`, and no source of prices answers.',
  },
  auth: 'secret-key',
  scope: 'refunds',
  once: true,
  async run({ caller, idempotency, replays }, fields, context: CheckoutContext) {
    if (caller.kind !== 'account') throw keyRequired('checkout_refund')
    const { accountId: owner, rights } = caller
    const id = toCheckoutId(fields.id)
    try {
      if (id === undefined) throw checkoutNotFound({ field: 'id' })
      const by = { id, owner, actor: caller.actor, rights, replays }
      const refund = await refundCheckout(context, by, readRefund(fields), idempotency)
      return ownRefund.show(refund, context.ports)
    } catch (error) {
      const isMissing = error instanceof AppError && error.code === 'not_found'
      throw toFieldError(isMissing ? checkoutNotFound({ field: 'id' }) : error)
    }
  },
})
