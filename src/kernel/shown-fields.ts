import { badField } from './errors.ts'

/* Reads texts and addresses that one user writes and others see. */

/** Control, zero-width and direction characters, which make one text look like another. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
export const INVISIBLE_BUT_LINES = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const URL_MAX = 2_048

/** `null` and empty text count as absent (contract 1, rule 6); `false` does not. */
export function given(value: unknown): unknown {
  return value === null || value === '' ? undefined : value
}

export function readText(field: string, value: unknown, max: number, stripped: RegExp): string | null {
  const text = given(value)
  if (text === undefined) return null
  if (typeof text !== 'string' && typeof text !== 'number') throw badField(field, `${field} must be a text.`)
  const shown = String(text).toWellFormed().replace(stripped, '').trim()
  if (shown.length > max) throw badField(field, `${field} takes up to ${max} characters.`)
  return shown === '' ? null : shown
}

/**
 * The only parser of addresses from users. Undefined for addresses that programs understand differently: a browser
 * opens `https://one.example\@two.example/` at the first host, other programs at the second.
 */
export function parseUrl(text: string): URL | undefined {
  return /[\s\\\p{Cc}]|^https?:(?!\/\/)/iu.test(text) || !URL.canParse(text) ? undefined : new URL(text)
}

/** The end of the address of a picture that was uploaded here, whatever this gateway was called at that time. */
const UPLOADED = /^https?:\/\/[^/?#\\]+\/pictures\/([0-9a-f]{32})$/

/** The id of an uploaded picture; undefined for the address of any other. */
export const pictureIdIn = (url: string): string | undefined => UPLOADED.exec(url)?.[1]

/** The address of a picture: uploaded here or online elsewhere. An uploaded one is read from the store, so its scheme does not matter. */
export const readPictureUrl: typeof readUrl = (field, value, { plainHttpAllowed }) =>
  readUrl(field, value, {
    plainHttpAllowed: plainHttpAllowed || (typeof value === 'string' && pictureIdIn(value) !== undefined),
  })

/** The scheme is checked first, because `javascript://host/%0a…` also has a host. */
export function readUrl(
  field: string,
  value: unknown,
  { plainHttpAllowed }: { plainHttpAllowed: boolean },
): string | null {
  const text = given(value)
  if (text === undefined) return null
  const bad = (why: string) => badField(field, `${field} ${why}`)
  if (typeof text !== 'string' || text.length > URL_MAX) throw bad(`must be an address of up to ${URL_MAX} characters.`)
  const scheme = plainHttpAllowed ? /^https?:\/\//i : /^https:\/\//i
  const url = scheme.test(text) ? parseUrl(text) : undefined
  if (!url) throw bad('must be an https address.')
  if (url.username !== '' || url.password !== '' || url.hostname === '') {
    throw bad('must name a host, without a user name in front of it.')
  }
  return text
}
