import { answer } from '../../../kernel/answers.ts'
import { badField, missingField } from '../../../kernel/errors.ts'
import type { Labelled } from '../../../kernel/resource/field.ts'
import {
  field,
  flag,
  isoTimeOrNone,
  kept,
  membersControl,
  secret,
  secretOrNone,
  text,
} from '../../../kernel/resource/fields.ts'
import { records } from '../../../kernel/resource/records.ts'
import { type RecordOf, type RowOf, type ValuesOf, resource } from '../../../kernel/resource/resource.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { urlRefused } from '../errors.ts'
import type { WebhookContext } from '../context.ts'
import { toTime } from '../../../kernel/view.ts'
import { withoutQuery } from '../store.ts'
import { last4Of, untilOf } from './sealed.ts'
import type { Json, JsonObject } from '../../../kernel/shape.ts'

const MEMBERS_MAX = 10
const TEXT_MAX = 200

/** Which events an endpoint asks for, besides their type. The members have the same names in the store and in requests. */
interface Filter {
  /** Metadata that an event must have; null accepts any. */
  metadata: JsonObject | null
  /** `any` also accepts checkouts of public keys, `public_key` only those; null excludes those of unbound public keys. */
  made_with: 'any' | 'public_key' | null
}

export const NO_FILTER: Filter = { metadata: null, made_with: null }

/** A filter without metadata stores null for it, because the previous version reads nothing else. */
function toStored({ metadata, made_with: madeWith }: Filter): string | null {
  if (metadata === null && madeWith === null) return null
  return JSON.stringify({ metadata, ...(madeWith && { made_with: madeWith }) })
}

const showFilter = ({ metadata, made_with: madeWith }: Filter): Json =>
  metadata || madeWith ? { ...(metadata && { metadata }), ...(madeWith && { made_with: madeWith }) } : null

/** Reads `{metadata, made_with}`. A missing member does not filter, except that checkouts of unbound public keys stay excluded. */
function readFilter(path: string, value: unknown): Filter {
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

const { text: TEXT, list, orNull, optional, record, words } = answer

declare module '../../../kernel/resource/field.ts' {
  interface Rules {
    /** Every event type that an endpoint can ask for. */
    kinds: readonly string[]
    /** Refuses a URL that cannot be used, as far as its text shows. */
    requireUsable(path: string, url: string): void
  }
}

/** Means every event type. */
export const EVERY_KIND = '*'

/** A URL that gets an account's events, whichever URLs its checkouts name. */
export const endpoint = resource({
  plural: 'endpoints',
  table: 'webhook_endpoints',
  path: '/api/webhook-endpoints',
  scope: 'webhooks',
  tag: 'webhooks',
  owner: 'accountId',
  times: 'iso',
  rules: ({ kinds, outbound }: WebhookContext) => ({
    kinds,
    requireUsable(path, url) {
      const refused = outbound.check(url)
      if (refused !== undefined) throw urlRefused(path, refused)
    },
  }),
  fields: {
    url: address({ label: 'Endpoint URL', placeholder: 'https://shop.example/webhooks/nano' }),
    description: text({ label: 'Description', max: 200, personal: true }),
    events: kinds({ label: 'Events' }),
    filter: filter({
      label: 'Filter',
      formText: `compares texts of up to ${TEXT_MAX} characters, numbers and booleans`,
    }),
    isEnabled: flag({ otherwise: true, emptyLeaves: true }),
    /** Why the gateway disabled it; null when its owner did, or it is enabled. */
    disabledReason: kept<'failing' | 'gone' | null>({
      schema: orNull(words('failing', 'gone')),
      column: 'string | null',
    }),
    /** Since when every delivery has failed. */
    failingSince: isoTimeOrNone(),
    sealed: secret(),
    sealedAt: kept<number>({ schema: answer.integer, column: 'number', isHidden: true }),
    previousSealed: secretOrNone(),
    previousUntil: isoTimeOrNone({ isHidden: true }),
  },
  derived: {
    status: { as: words('enabled', 'paused', 'disabled'), from: (each) => statusOf(each) },
    secret_last4: { as: TEXT, from: (each, context) => last4Of(context, each) },
    secret_created_at: { as: TEXT, from: ({ sealedAt }) => toTime(sealedAt) },
    previous_secret_until: { as: orNull(TEXT), from: (each, context) => toTime(untilOf(context, each)) },
  },
})

export type Endpoint = RecordOf<typeof endpoint.fields>
export type EndpointValues = ValuesOf<typeof endpoint.fields>
export type EndpointColumns = RowOf<typeof endpoint.fields>

export const endpoints = records(endpoint)

export type EndpointStatus = 'enabled' | 'paused' | 'disabled'

export function statusOf({
  isEnabled,
  disabledReason,
}: {
  isEnabled: boolean
  disabledReason: string | null
}): EndpointStatus {
  if (isEnabled) return 'enabled'
  return disabledReason === null ? 'paused' : 'disabled'
}

/** The query is not shown, since it may contain a secret. Each delivery checks again where the host name leads. */
function address(labelled: Labelled) {
  return field<string>({
    isRequired: true,
    isShownInPart: true,
    emptyLeaves: true,
    personal: true,
    schema: TEXT,
    takes: TEXT,
    example: 'https://shop.example/hooks',
    control: { as: 'text', type: 'url', ...labelled },
    show: withoutQuery,
    read(value, { path, rules }) {
      if (given(value) === undefined) throw missingField(path)
      if (typeof value !== 'string') throw badField(path, `${path} must be the address of your server.`)
      rules.requireUsable?.(path, value)
      return value
    },
  })
}

function kinds(labelled: Labelled) {
  return field<string[], string>({
    emptyLeaves: true,
    personal: 'no: kinds of events',
    schema: list(TEXT),
    takes: list(TEXT),
    example: ['payment.completed', 'refund.sent'],
    control: {
      as: 'choices',
      options: ({ kinds: known = [] }) => [
        [EVERY_KIND, 'All events, including new kinds'],
        ...known.map((kind) => [kind, kind] as const),
      ],
      ...labelled,
    },
    toColumn: JSON.stringify,
    fromColumn: (stored) => JSON.parse(stored) as string[],
    show: (value) => value,
    read: (value, { path, rules }) =>
      given(value) === undefined ? [EVERY_KIND] : readKinds(path, value, rules.kinds ?? []),
  })
}

export function readKinds(path: string, events: unknown, known: readonly string[]): string[] {
  if (!Array.isArray(events)) throw badField(path, `${path} must be a list of kinds, or of * for all of them.`)
  if (events.length === 0) throw badField(path, `${path} must name at least one kind; * is all of them.`)
  const unknown = events.find((kind) => kind !== EVERY_KIND && !known.includes(kind as string))
  if (unknown !== undefined) {
    const called = JSON.stringify(unknown)?.slice(0, 60)
    throw badField(path, `${path} has ${called}, which is none of *, ${known.join(', ')}.`)
  }
  return events.includes(EVERY_KIND) ? [EVERY_KIND] : [...new Set(events as string[])]
}

/** Conditions on an event's metadata, and on the kind of key that made its checkout. */
function filter(labelled: Labelled) {
  const schema = orNull(record({ metadata: optional(answer.object), made_with: optional(words('any', 'public_key')) }))
  return field<Filter, string | null>({
    schema,
    takes: schema,
    personal: true,
    column: 'string | null',
    control: {
      as: 'group',
      parts: {
        metadata: membersControl({
          label: 'Metadata',
          hint: 'Events must have all of these values in their metadata.',
          like: ['shop', 'berlin'],
          max: MEMBERS_MAX,
          one: 'Condition',
          add: 'Add a condition',
        }),
        made_with: {
          as: 'choice',
          label: 'Checkouts made with public keys',
          hint: 'Anyone can make a checkout to any address with a key that is not bound to yours.',
          options: () => [
            ['', 'Only those of bound keys'],
            ['any', 'All, also of keys that are not bound'],
            ['public_key', 'Nothing else'],
          ],
        },
      },
      ...labelled,
    },
    toColumn: toStored,
    fromColumn: (stored) => (stored === null ? NO_FILTER : { ...NO_FILTER, ...(JSON.parse(stored) as Filter) }),
    show: showFilter,
    read: (value, { path }) => readFilter(path, value),
  })
}
