import { badField } from '../../../kernel/errors.ts'
import { given } from '../../../kernel/shown-fields.ts'

interface Position {
  createdAt: number
  key: string
}

/** Where a list of names goes on: behind this one. */
export const toCursor = ({ createdAt, key }: Position) => `${createdAt}-${key}`

export function readCursor(value: unknown): Position | undefined {
  if (given(value) === undefined) return undefined
  const [, createdAt, key] = /^(\d{1,15})-([a-z0-9]{1,30})$/.exec(typeof value === 'string' ? value : '') ?? []
  if (createdAt === undefined) throw badField('cursor', 'cursor must be the next_cursor of an answer.')
  return { createdAt: Number(createdAt), key: key! }
}
