import type { JsonObject } from '../../kernel/shape.ts'
import { badChange } from './errors.ts'

const TEXT_MAX = 99
const METADATA_BYTES_MAX = 500
/** Control, zero-width and direction characters make one text look like another. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** What owners may tell about their names; those with addresses of the web are shown as links. */
const PROFILE_TEXTS = ['title', 'github', 'twitter', 'mastodon', 'location'] as const
const PROFILE_LINKS = ['website', 'image'] as const

type GivenProfile = Partial<Record<(typeof PROFILE_TEXTS)[number] | (typeof PROFILE_LINKS)[number], unknown>> & {
  metadata?: unknown
}

/** Reads what is to change; what is not given stays out. An empty text takes a member away. */
export function readProfile(given: GivenProfile): JsonObject {
  const profile: JsonObject = {}
  for (const name of PROFILE_TEXTS) if (given[name] !== undefined) profile[name] = readText(name, given[name])
  for (const name of PROFILE_LINKS) if (given[name] !== undefined) profile[name] = readLink(name, given[name])
  if (given.metadata !== undefined) profile.metadata = readMetadata(given.metadata)
  return profile
}

function readText(field: string, value: unknown): string {
  if (value === null) return ''
  const text = typeof value === 'string' ? value.replace(INVISIBLE, '').trim() : undefined
  if (text === undefined || text.length > TEXT_MAX) {
    throw badChange(field, `${field} must be a text of up to ${TEXT_MAX} characters.`)
  }
  return text
}

/** The protocol is looked at first: what begins otherwise is a program or a trick. */
function readLink(field: string, value: unknown): string {
  const text = readText(field, value)
  if (text === '') return text
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (!url || url.username !== '' || url.password !== '') {
    throw badChange(field, `${field} must be an address that begins with https:// or http://.`, 'invalid_url')
  }
  return text
}

function readMetadata(value: unknown): JsonObject | null {
  if (value === null || value === '') return null
  const isObject = typeof value === 'object' && !Array.isArray(value)
  if (!isObject || Buffer.byteLength(JSON.stringify(value)) > METADATA_BYTES_MAX) {
    const text = `metadata must be an object of up to ${METADATA_BYTES_MAX} bytes.`
    throw badChange('metadata', text, 'invalid_metadata')
  }
  return value as JsonObject
}
