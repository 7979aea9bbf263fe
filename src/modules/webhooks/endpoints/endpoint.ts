import { answer } from '../../../kernel/answers.ts'
import { badField, missingField } from '../../../kernel/errors.ts'
import type { Labelled } from '../../../kernel/resource/field.ts'
import { field, flag, isoTimeOrNone, kept, secret, secretOrNone, text } from '../../../kernel/resource/fields.ts'
import { records } from '../../../kernel/resource/records.ts'
import { type RecordOf, type RowOf, type ValuesOf, resource } from '../../../kernel/resource/resource.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { urlRefused } from '../errors.ts'
import type { WebhookContext } from '../context.ts'
import { toTime } from '../shape-event.ts'
import { withoutQuery } from '../store.ts'
import { type Filter, NO_FILTER, fromInputs, readFilter, showFilter, toInputs, toStored } from './filter.ts'
import { last4Of, untilOf } from './sealed.ts'

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
      label: 'Metadata filter',
      formText: 'needs a name in every row, and values of up to 200 characters',
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
      as: 'own',
      toInputs,
      fromInputs,
      ...labelled,
    },
    toColumn: toStored,
    fromColumn: (stored) => (stored === null ? NO_FILTER : { ...NO_FILTER, ...(JSON.parse(stored) as Filter) }),
    show: showFilter,
    read: (value, { path }) => readFilter(path, value),
  })
}
