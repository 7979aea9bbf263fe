/**
 * Whether a text can be an id of ours, or an address. What cannot be one does not exist, and no store is asked about it:
 * there are characters that PostgreSQL refuses to read.
 */
export const canBeId = (text: string): boolean => /^[\w-]{1,100}$/.test(text.trim())

/** Of the right shape, and of nothing there is: each kind of thing says in its own words that it does not exist. */
const NOBODYS = '-'

/** Parameters of a path as ids. */
export const toIds = (params: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, text]) => [name, canBeId(text) ? text : NOBODYS]))
