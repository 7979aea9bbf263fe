import { badField } from '../errors.ts'
import type { Checkout } from '../record.ts'

/** Where a page of checkouts ended. Unlike an offset it stays right while new checkouts come in. */
export const toCursor = ({ createdAt, id }: Pick<Checkout, 'createdAt' | 'id'>) => `${createdAt}-${id}`

export function readCursor(value: unknown): { createdAt: number; id: string } | undefined {
  if (value === undefined || value === '') return undefined
  const [, createdAt, id] = /^([0-9]{1,15})-([0-9a-f]{16})$/.exec(typeof value === 'string' ? value : '') ?? []
  if (createdAt === undefined) throw badField('cursor', 'cursor must be the next_cursor of an earlier page.')
  return { createdAt: Number(createdAt), id: id! }
}
