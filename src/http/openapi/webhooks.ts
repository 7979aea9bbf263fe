import type { TSchema } from 'typebox'
import { type Names, publicSchema } from '../../kernel/public-schema.ts'
import { CHECKOUT_EVENT, EVENT_KINDS } from '../../modules/checkout/index.ts'
import { ADDRESS_EVENT, ADDRESS_KINDS, PING_EVENT } from '../../modules/webhooks/index.ts'
import { tagOf } from './tags.ts'

/** What webhooks are about: its kinds of events with when each is sent, and their body. */
export const WEBHOOK_SUBJECTS: readonly { kinds: Readonly<Record<string, string>>; body: TSchema }[] = [
  { kinds: EVENT_KINDS, body: CHECKOUT_EVENT },
  { kinds: ADDRESS_KINDS, body: ADDRESS_EVENT },
]

/** Only completions are sent by default; `webhook_events` and endpoints select the others. */
const KINDS = [
  ...WEBHOOK_SUBJECTS.flatMap(({ kinds, body: schema }) =>
    Object.entries(kinds).map(([type, when]) => ({ type, summary: `Sent when ${when}.`, schema })),
  ),
  { type: 'ping', summary: 'A test event.', schema: PING_EVENT },
]

/** `payment.late` becomes `onPaymentLate`. */
const operationIdOf = (type: string) =>
  `on${type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`

const DELIVERY_HEADERS: readonly [name: string, description: string][] = [
  ['Nano-Signature', 'HMAC-SHA256 of the raw body with the secret, in lower-case hexadecimal digits.'],
  ['webhook-id', 'Id of the event: the same on every attempt.'],
  ['webhook-timestamp', 'Seconds since 1970 at the time of the attempt.'],
  ['webhook-signature', '`v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body`: Standard Webhooks.'],
]

/** The webhooks of the document. */
export function toWebhooks(names: Names): Record<string, object> {
  return Object.fromEntries(
    KINDS.map(({ type, summary, schema }) => [
      type,
      {
        post: {
          operationId: operationIdOf(type),
          tags: [tagOf('webhooks')],
          summary,
          description: [
            summary,
            'It is sent at least once, and repeated with the same `webhook-id` until your server accepts it. Verify the signature, then act once for each `id`.',
          ].join('\n\n'),
          security: [],
          parameters: DELIVERY_HEADERS.map(([name, description]) => ({
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
