import { AppError } from '../../../kernel/errors.ts'
import { type Raw, formatNano } from '../../../kernel/money.ts'
import { badField } from '../errors.ts'

/** It cannot be told where the money would end. */
export const refundAddressRequired = (why: 'exchange' | 'service' | 'several', payers: readonly string[]) =>
  new AppError(
    'refund_address_required',
    `${WHY[why]} Set address to where the refund should go, or send it as a link.`,
    {
      body: { field: 'address', payers: [...payers] },
    },
  )

const WHY = {
  exchange: 'The payment came from an exchange, which would not credit a refund.',
  service: 'This is an internal wallet of this service, which no customer keeps.',
  several: 'The payment came from several addresses.',
} as const

export const paysItself = () =>
  badField('address', 'This wallet pays the refund. Set another address, or another from.', 'invalid_account')

export const refundSourceRequired = () =>
  new AppError(
    'refund_source_required',
    'The money is no longer held by this service. Set from to one of your cloud wallets.',
    { body: { field: 'from' } },
  )

export const refundTooLarge = (left: Raw) =>
  new AppError(
    'refund_too_large',
    left === 0n ? 'There is nothing left to refund.' : `At most ${formatNano(left)} nano can be refunded.`,
    { body: { field: 'amount', refundable: formatNano(left), refundable_raw: left.toString() } },
  )
