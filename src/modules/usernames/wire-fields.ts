import type { JsonObject } from '../../kernel/shape.ts'
import { INVISIBLE, parseUrl } from '../../kernel/shown-fields.ts'
import type { NameChanges } from './domain/change-name.ts'
import { badChange } from './errors.ts'

export const TEXT_MAX = 99
const METADATA_BYTES_MAX = 500

/** The members of a profile; those that are URLs are shown as links. */
const PROFILE_TEXTS = ['title', 'github', 'twitter', 'mastodon', 'location'] as const
const PROFILE_LINKS = ['website', 'image'] as const

type ProfileText = (typeof PROFILE_TEXTS)[number]
type ProfileLink = (typeof PROFILE_LINKS)[number]
type Given = Partial<Record<ProfileText | ProfileLink | 'metadata' | 'remove', unknown>> & {
  address?: string | undefined
}

const REMOVABLE: readonly string[] = [...PROFILE_TEXTS, ...PROFILE_LINKS, 'metadata']

/** A missing or empty value changes nothing; to delete a member, name it in `remove`. */
const isGiven = (value: unknown) => value !== undefined && value !== null && value !== ''

/** Reads a change in the form in which it is signed; null when there is none. */
export function readChanges(given: Given): NameChanges | null {
  const changes: NameChanges = {}
  if (given.address !== undefined) changes.address = given.address
  for (const name of PROFILE_TEXTS) if (isGiven(given[name])) changes[name] = readText(name, given[name])
  for (const name of PROFILE_LINKS) if (isGiven(given[name])) changes[name] = readLink(name, given[name])
  if (isGiven(given.metadata)) changes.metadata = readMetadata(given.metadata)
  if (isGiven(given.remove)) changes.remove = readRemove(given.remove, changes)
  return Object.keys(changes).length > 0 ? changes : null
}

/** Sorted, so that the same change is always signed as the same text. */
function readRemove(value: unknown, changes: NameChanges): string[] {
  const names = (Array.isArray(value) ? value : [value]) as unknown[]
  const wrong = names.findIndex((name) => typeof name !== 'string' || !REMOVABLE.includes(name) || name in changes)
  if (names.length === 0 || wrong >= 0) {
    throw badChange('remove', `remove must be a list of ${REMOVABLE.join(', ')}, none of them given beside it.`)
  }
  return [...new Set(names as string[])].sort()
}

export function readText(field: string, value: unknown): string {
  const text = typeof value === 'string' ? value.replace(INVISIBLE, '').trim() : undefined
  if (text === undefined || text === '' || text.length > TEXT_MAX) {
    throw badChange(field, `${field} must be a text of 1 to ${TEXT_MAX} characters.`)
  }
  return text
}

/** Checks the protocol first, because a URL with another one, such as `javascript:`, could run a program or deceive the reader. */
export function readLink(field: string, value: unknown): string {
  const text = readText(field, value)
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined
  if (!url || url.username !== '' || url.password !== '') {
    throw badChange(field, `${field} must be an address that begins with https:// or http://.`, 'invalid_url')
  }
  return text
}

function readMetadata(value: unknown): JsonObject {
  const isObject = typeof value === 'object' && !Array.isArray(value)
  if (!isObject || Buffer.byteLength(JSON.stringify(value)) > METADATA_BYTES_MAX) {
    const text = `metadata must be an object of up to ${METADATA_BYTES_MAX} bytes.`
    throw badChange('metadata', text, 'invalid_metadata')
  }
  return value as JsonObject
}
