import Type from 'typebox'
import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'
import { openSwap } from '../open-swap.ts'
import { swapDisabled } from '../errors.ts'
import { unix, view } from '../../../kernel/view.ts'
import type { Swap } from '../store.ts'
import type { SwapContext } from '../context.ts'

/** A swap as in the contract: the sent amount as a number, the received one as text with its currency. */
export const swapShown = view<Swap>()({
  id: answer.text,
  send: [answer.number, ({ amount }) => Number(amount)],
  receive: [Type.String({ pattern: '^[0-9.]+ [A-Z0-9]+$' }), ({ receive, to }) => `${receive} ${to.toUpperCase()}`],
  swap_address: [answer.text, ({ depositAddress }) => depositAddress],
  refund_address: answer.text,
  status: answer.words('waiting', 'confirming', 'exchanging', 'sending', 'finished', 'failed', 'refunded', 'expired'),
  source: [answer.text, ({ provider }) => provider],
  expires_unix: unix('expiresAt'),
})

export const EXAMPLE = {
  id: 'swp_7f3kq2',
  send: 10,
  receive: '0.000099 BTC',
  swap_address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
  refund_address: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
  status: 'waiting',
  source: 'sandbox',
  expires_unix: 1794823200,
}

export const nanoSwap = action({
  name: 'nano_swap',
  summary: 'Exchanges nano for another currency or back: returns a quote with the address to pay.',
  input: input({
    amount: field.decimal('How much you send, in the currency you send.'),
    from: field.currency,
    to: field.currency,
    address: field.foreignAddress('Where the exchanged currency goes.'),
    refund_address: field.foreignAddress('Where the deposit is returned if the swap fails.'),
  }),
  example: {
    request: {
      amount: 10,
      from: 'nano',
      to: 'btc',
      address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      refund_address: EXAMPLE.refund_address,
    },
    response: EXAMPLE,
  },
  output: swapShown.schema,
  errors: {
    feature_disabled: 'No swap provider is configured.',
    invalid_currency: 'A currency is unknown, or both are the same.',
    invalid_account: 'An address does not belong to its currency.',
    invalid_amount: 'The amount is too small or too large.',
    no_swap: 'The provider does not answer. Nothing was agreed.',
  },
  auth: 'none',
  scope: 'wallets:send',
  once: true,
  async run(
    { store, caller, idempotency },
    { amount, from, to, address, refund_address: refundAddress },
    { swaps }: SwapContext,
  ) {
    if (!swaps) throw swapDisabled()
    const accountId = caller.kind === 'account' ? caller.accountId : null
    return swapShown.show(
      await openSwap(store, swaps, { accountId, amount, from, to, address, refundAddress, idempotency }),
    )
  },
})
