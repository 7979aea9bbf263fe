import { badField } from '../../../kernel/errors.ts'
import { readFlag } from '../../../kernel/fields.ts'
import { type JsonObject, textOf } from '../../../kernel/shape.ts'
import { INVISIBLE, given, readText } from '../../../kernel/shown-fields.ts'
import { EVERY_KIND } from './fan-out.ts'
import type { Endpoint } from './store.ts'

const DESCRIPTION_MAX = 200
const FILTER_MEMBERS_MAX = 10
const FILTER_TEXT_MAX = 200
const UNIX_MAX = 99_999_999_999

type Fields = Readonly<Record<string, unknown>>

/** What an owner may say about an endpoint. */
export type EndpointTerms = Pick<Endpoint, 'url' | 'events' | 'metadata' | 'madeWith' | 'description' | 'isEnabled'>

/** Only what stands in the body; who makes an endpoint names at least its address. */
export function readTerms(body: Fields, kinds: readonly string[]): Partial<EndpointTerms> {
  return {
    ...(isSaid(body.url) && { url: readAddress(body.url) }),
    ...(isSaid(body.events) && { events: readKinds(body.events, kinds) }),
    ...(body.filter !== undefined && readFilter(body.filter)),
    ...(body.description !== undefined && {
      description: readText('description', body.description, DESCRIPTION_MAX, INVISIBLE),
    }),
    ...(isSaid(body.enabled) && { isEnabled: readEnabled(body.enabled) }),
  }
}

/** Filter and description can be taken away; the rest is there, and left as it is. */
const isSaid = (value: unknown) => value !== undefined && value !== null && value !== ''

/** Whether it may be used is for the guarded client to say. */
function readAddress(url: unknown): string {
  if (typeof url !== 'string') throw badField('url', 'url must be the address of your server.')
  return url
}

function readKinds(events: unknown, kinds: readonly string[]): string[] {
  if (!Array.isArray(events)) throw badField('events', 'events must be a list of kinds, or of * for all of them.')
  if (events.length === 0) throw badField('events', 'events must name at least one kind; * is all of them.')
  const unknown = events.find((kind) => kind !== EVERY_KIND && !kinds.includes(kind as string))
  if (unknown !== undefined) {
    throw badField(
      'events',
      `events has ${JSON.stringify(unknown)?.slice(0, 60)}, which is none of *, ${kinds.join(', ')}.`,
    )
  }
  return events.includes(EVERY_KIND) ? [EVERY_KIND] : [...new Set(events as string[])]
}

/** `{metadata, made_with}`: what is left out of it filters nothing, but for what strangers make. */
function readFilter(value: unknown): Pick<EndpointTerms, 'metadata' | 'madeWith'> {
  const filter = given(value) ?? {}
  if (!isObject(filter)) throw badField('filter', 'filter must be an object with metadata or made_with.')
  const unknown = Object.keys(filter).find((name) => name !== 'metadata' && name !== 'made_with')
  if (unknown !== undefined) {
    throw badField('filter', `filter knows metadata and made_with, not ${unknown.slice(0, 60)}.`)
  }
  const madeWith = given(filter.made_with) ?? null
  if (madeWith !== null && madeWith !== 'any' && madeWith !== 'public_key') {
    throw badField('filter', 'filter.made_with must be any or public_key.')
  }
  return { metadata: readMetadata(filter.metadata), madeWith }
}

/** `{name: value}`: an event passes when its metadata has every one of them. */
function readMetadata(value: unknown): JsonObject | null {
  const metadata = given(value)
  if (metadata === undefined) return null
  if (!isObject(metadata)) throw badField('filter', 'filter.metadata must be an object.')
  const members = Object.entries(metadata)
  if (members.length > FILTER_MEMBERS_MAX) {
    throw badField('filter', `filter.metadata takes up to ${FILTER_MEMBERS_MAX} members.`)
  }
  for (const [name, wanted] of members) {
    const isScalar = typeof wanted === 'string' || typeof wanted === 'number' || typeof wanted === 'boolean'
    if (!isScalar || name.length > FILTER_TEXT_MAX || String(wanted).length > FILTER_TEXT_MAX) {
      throw badField('filter', 'filter.metadata compares with texts of up to 200 characters, numbers and booleans.')
    }
  }
  return members.length === 0 ? null : (metadata as JsonObject)
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readEnabled(value: unknown): boolean {
  const flag = readFlag(value)
  if (flag === undefined) throw badField('enabled', 'enabled must be true or false.')
  return flag
}

export interface AskedReplay {
  from: number
  to: number | undefined
  events: string[] | undefined
  /** Only what the endpoint has not taken yet. */
  missedOnly: boolean
}

export function readReplay(
  { from_unix: from, to_unix: to, events, missed }: Fields,
  kinds: readonly string[],
): AskedReplay {
  if (given(from) === undefined) throw badField('from_unix', 'from_unix is required')
  const until = given(to) === undefined ? undefined : readUnix('to_unix', to)
  const since = readUnix('from_unix', from)
  if (until !== undefined && until < since) throw badField('to_unix', 'to_unix is before from_unix.')
  const missedOnly = isSaid(missed) ? readFlag(missed) : false
  if (missedOnly === undefined) throw badField('missed', 'missed must be true or false.')
  return {
    from: since * 1000,
    to: until === undefined ? undefined : until * 1000 + 999,
    events: given(events) === undefined ? undefined : readKinds(events, kinds),
    missedOnly,
  }
}

function readUnix(field: string, value: unknown): number {
  const text = textOf(value)
  const seconds = /^\d{1,11}$/.test(text) ? Number(text) : NaN
  if (!(seconds <= UNIX_MAX)) throw badField(field, `${field} must be seconds since 1970.`)
  return seconds
}
