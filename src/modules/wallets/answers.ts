import { answer } from '../../kernel/answers.ts'

/* What the operations of a cloud wallet answer. */

export const WALLET = answer.record({
  address: answer.address,
  balance: answer.oneOf(answer.number, answer.raw),
  refund_address: answer.oneOf(answer.address, answer.list(answer.address)),
  expiration: answer.optional(answer.text),
  expiration_unix: answer.optional(answer.unix),
  metadata: answer.optional(answer.object),
  qrcode: answer.optional(answer.png),
})

export const RECEIVED = answer.record({
  hash: answer.hash,
  amount: answer.raw,
  amount_nano: answer.nano,
  source: answer.address,
  username: answer.optional(answer.text),
})

export const BALANCE = answer.record({
  balance: answer.raw,
  balance_nano: answer.nano,
  pending: answer.raw,
  pending_nano: answer.nano,
  receivable: answer.raw,
  receivable_nano: answer.nano,
  address: answer.address,
  expiration: answer.optional(answer.text),
  expiration_unix: answer.optional(answer.unix),
})

export const SENT = answer.record({ hash: answer.hash })

export const DELETED = answer.record({ deleted: answer.bool })
