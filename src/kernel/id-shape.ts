/**
 * Whether a text can be an id of ours, or an address. What cannot be one does not exist, and no store is asked about it:
 * there are characters that PostgreSQL refuses to read.
 */
export const canBeId = (text: string): boolean => /^[\w-]{1,100}$/.test(text.trim())
