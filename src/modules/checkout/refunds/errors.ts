import { AppError } from '../../../kernel/errors.ts'
import { type Raw, formatNano } from '../../../kernel/money.ts'

/** It cannot be told where the money would end. */
export const refundAddressRequired = (why: 'exchange' | 'service' | 'several', payers: readonly string[]) =>
  new AppError('refund_address_required', `${WHY[why]} Say in address where the refund goes, or give it as a link.`, {
    body: { field: 'address', payers: [...payers] },
  })

const WHY = {
  exchange: 'The payer is an exchange, which would keep what is sent there.',
  service: 'The payer is a wallet of this service, which nobody reads.',
  several: 'Several addresses have paid.',
} as const

export const refundSourceRequired = () =>
  new AppError(
    'refund_source_required',
    'The money is no longer in a wallet of this service. Name one of your cloud wallets in from.',
    { body: { field: 'from' } },
  )

export const refundTooLarge = (left: Raw) =>
  new AppError(
    'refund_too_large',
    left === 0n ? 'Nothing is left to refund.' : `At most ${formatNano(left)} nano can be refunded.`,
    { body: { field: 'amount', refundable: formatNano(left), refundable_raw: left.toString() } },
  )
