import { badField } from '../../../kernel/errors.ts'
import { type Json, type JsonObject, textOf, toObject } from '../../../kernel/shape.ts'
import { given } from '../../../kernel/shown-fields.ts'

export const MEMBERS_MAX = 10
const TEXT_MAX = 200

/** Which events an endpoint asks for, besides their type. The members have the same names in the store and in requests. */
export interface Filter {
  /** Metadata that an event must have; null accepts any. */
  metadata: JsonObject | null
  /** `any` also accepts checkouts of public keys, `public_key` only those; null excludes those of unbound public keys. */
  made_with: 'any' | 'public_key' | null
}

export const NO_FILTER: Filter = { metadata: null, made_with: null }

/** A filter without metadata stores null for it, because the previous version reads nothing else. */
export function toStored({ metadata, made_with: madeWith }: Filter): string | null {
  if (metadata === null && madeWith === null) return null
  return JSON.stringify({ metadata, ...(madeWith && { made_with: madeWith }) })
}

export const showFilter = ({ metadata, made_with: madeWith }: Filter): Json =>
  metadata || madeWith ? { ...(metadata && { metadata }), ...(madeWith && { made_with: madeWith }) } : null

/** Reads `{metadata, made_with}`. A missing member does not filter, except that checkouts of unbound public keys stay excluded. */
export function readFilter(path: string, value: unknown): Filter {
  const filter = given(value) ?? {}
  if (!isObject(filter)) throw badField(path, `${path} must be an object with metadata or made_with.`)
  const unknown = Object.keys(filter).find((name) => name !== 'metadata' && name !== 'made_with')
  if (unknown !== undefined) throw badField(path, `${path} knows metadata and made_with, not ${unknown.slice(0, 60)}.`)
  const madeWith = given(filter.made_with) ?? null
  if (madeWith !== null && madeWith !== 'any' && madeWith !== 'public_key') {
    throw badField(path, `${path}.made_with must be any or public_key.`)
  }
  return { metadata: readMetadata(path, filter.metadata), made_with: madeWith }
}

/** Reads `{name: value}`: an event passes when its metadata has every one of them. */
function readMetadata(path: string, value: unknown): JsonObject | null {
  const metadata = given(value)
  if (metadata === undefined) return null
  if (!isObject(metadata)) throw badField(path, `${path}.metadata must be an object.`)
  const members = Object.entries(metadata)
  if (members.length > MEMBERS_MAX) throw badField(path, `${path}.metadata takes up to ${MEMBERS_MAX} members.`)
  for (const [name, wanted] of members) {
    const isScalar = typeof wanted === 'string' || typeof wanted === 'number' || typeof wanted === 'boolean'
    if (!isScalar || name.length > TEXT_MAX || String(wanted).length > TEXT_MAX) {
      throw badField(
        path,
        `${path}.metadata compares with texts of up to ${TEXT_MAX} characters, numbers and booleans.`,
      )
    }
  }
  return members.length === 0 ? null : (metadata as JsonObject)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** For the form: a row for each member. */
export function toInputs(shown: Json | undefined): Record<string, string> {
  const { metadata, made_with: madeWith = '' } = toObject(shown)
  const rows = Object.entries(toObject(metadata)).map(([name, value], at) => ({
    [`filter[${at}].name`]: name,
    [`filter[${at}].value`]: textOf(value),
  }))
  return Object.assign({ made_with: textOf(madeWith) }, ...rows) as Record<string, string>
}

export function fromInputs(get: (name: string) => string): JsonObject {
  const rows = Array.from({ length: MEMBERS_MAX }, (_, at) => [get(`filter[${at}].name`), get(`filter[${at}].value`)])
  const members = rows.filter(([name, value]) => name !== '' || value !== '') as [string, string][]
  // The reader of the filter refuses a text, together with everything else that is wrong.
  const metadata = members.every(([name]) => name !== '') ? Object.fromEntries(members) : 'a value without a name'
  return { metadata, made_with: get('made_with') }
}
