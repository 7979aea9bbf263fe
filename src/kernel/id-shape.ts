import { AppError } from './errors.ts'

/**
 * Whether a text can be an id of ours, or an address. What cannot be one does not exist, and no store is asked about it:
 * there are characters that PostgreSQL refuses to read.
 */
export const canBeId = (text: string): boolean => /^[\w-]{1,100}$/.test(text.trim())

/** Parameters of a path as ids, before anything else of the request is looked at. */
export function toIds(params: Readonly<Record<string, string>>): Record<string, string> {
  if (!Object.values(params).every(canBeId)) throw new AppError('not_found', 'Nothing has this id.')
  return { ...params }
}
