import { badField } from './errors.ts'

/** The last row of a page, by the two columns that lists are ordered by. */
export interface Place {
  createdAt: number
  id: string
}

/** Where a page ended. Unlike an offset it stays right while new rows come in. */
export const toCursor = ({ createdAt, id }: Place): string => `${createdAt}-${id}`

export function readCursor(value: unknown): Place | undefined {
  if (value === undefined || value === '') return undefined
  const [, createdAt, id] = (typeof value === 'string' && /^(\d{1,15})-(\w{1,64})$/.exec(value)) || []
  if (createdAt === undefined) throw badField('cursor', 'cursor must be the next_cursor of an earlier page.')
  return { createdAt: Number(createdAt), id: id! }
}
