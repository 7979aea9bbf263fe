import { badField } from '../errors.ts'
import type { Payment } from '../payments-store.ts'
import type { Checkout } from '../record.ts'

/** Where a page of checkouts ended. Unlike an offset it stays right while new checkouts come in. */
export const toCursor = ({ createdAt, id }: Pick<Checkout, 'createdAt' | 'id'>) => `${createdAt}-${id}`

export const readCursor = (value: unknown) => read(value, /^([0-9]{1,15})-([0-9a-f]{16})$/)

/** The same of payments, by their blocks. */
export const readPaymentCursor = (value: unknown): Pick<Payment, 'createdAt' | 'blockHash'> | undefined => {
  const { createdAt, id: blockHash } = read(value, /^([0-9]{1,15})-([0-9A-F]{64})$/) ?? {}
  return createdAt === undefined ? undefined : { createdAt, blockHash: blockHash! }
}

function read(value: unknown, pattern: RegExp): { createdAt: number; id: string } | undefined {
  if (value === undefined || value === '') return undefined
  const [, createdAt, id] = pattern.exec(typeof value === 'string' ? value : '') ?? []
  if (createdAt === undefined) throw badField('cursor', 'cursor must be the next_cursor of an earlier page.')
  return { createdAt: Number(createdAt), id: id! }
}
