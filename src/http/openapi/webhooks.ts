import type { TSchema } from 'typebox'
import { CHECKOUT_EVENT, EVENT_KINDS } from '../../modules/checkout/index.ts'
import { ADDRESS_EVENT, ADDRESS_KINDS, PING_EVENT } from '../../modules/webhooks/index.ts'
import { type Names, publicSchema } from '../../kernel/public-schema.ts'
import { tagOf } from './tags.ts'

interface Kind {
  type: string
  summary: string
  schema: TSchema
}

/** What a gateway sends, by its kind. Only the completion comes unasked; `webhook_events` asks for the others. */
const KINDS: readonly Kind[] = [
  ...Object.entries(EVENT_KINDS).map(([type, when]) => ({
    type,
    summary: `Sent when ${when}.`,
    schema: CHECKOUT_EVENT,
  })),
  ...Object.entries(ADDRESS_KINDS).map(([type, when]) => ({
    type,
    summary: `Sent when ${when}.`,
    schema: ADDRESS_EVENT,
  })),
  { type: 'ping', summary: 'A test event.', schema: PING_EVENT },
]

/** `payment.late` is `onPaymentLate`. */
const operationIdOf = (type: string) =>
  `on${type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`

const HEADERS: readonly [name: string, description: string][] = [
  ['Nano-Signature', 'HMAC-SHA256 of the raw body with the secret, in lower-case hexadecimal digits.'],
  ['webhook-id', 'Id of the event: the same on every attempt.'],
  ['webhook-timestamp', 'Seconds since 1970 at the time of the attempt.'],
  ['webhook-signature', '`v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body`: Standard Webhooks.'],
]

export function toWebhooks(names: Names): Record<string, object> {
  return Object.fromEntries(
    KINDS.map(({ type, summary, schema }) => [
      type,
      {
        post: {
          operationId: operationIdOf(type),
          tags: [tagOf('webhooks')],
          summary,
          security: [],
          parameters: HEADERS.map(([name, description]) => ({
            name,
            in: 'header',
            required: true,
            description,
            schema: { type: 'string' },
          })),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: publicSchema(schema, names) } },
          },
          responses: {
            '2XX': { description: 'Accepted. Any other answer is retried for days.' },
            410: { description: 'The address is gone: nothing more is sent there.' },
          },
        },
      },
    ]),
  )
}
