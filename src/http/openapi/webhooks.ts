import type { TSchema } from 'typebox'
import { CHECKOUT_EVENT } from '../../modules/checkout/index.ts'
import { PING_EVENT } from '../../modules/webhooks/index.ts'
import { type Names, publicSchema } from './schemas.ts'
import { tagOf } from './tags.ts'

/** What a gateway sends, by its kind. Only the completion comes unasked; `webhook_events` asks for the others. */
const KINDS: readonly [type: string, id: string, summary: string, schema: TSchema][] = [
  ['payment.completed', 'onPaymentCompleted', 'A checkout is paid, and the payment is confirmed.', CHECKOUT_EVENT],
  ['payment.detected', 'onPaymentDetected', 'A payment was seen and waits for its confirmation.', CHECKOUT_EVENT],
  ['payment.partial', 'onPaymentPartial', 'A part of the price was paid.', CHECKOUT_EVENT],
  ['payment.late', 'onPaymentLate', 'A payment came after the checkout had ended.', CHECKOUT_EVENT],
  ['checkout.expired', 'onCheckoutExpired', 'Nobody paid in time.', CHECKOUT_EVENT],
  ['ping', 'onPing', 'A test event.', PING_EVENT],
]

const HEADERS: readonly [name: string, description: string][] = [
  ['Nano-Signature', 'HMAC-SHA256 of the raw body with the secret, in lower-case hexadecimal digits.'],
  ['webhook-id', 'Id of the event: the same on every attempt.'],
  ['webhook-timestamp', 'Seconds since 1970 at the time of the attempt.'],
  ['webhook-signature', '`v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body`: Standard Webhooks.'],
]

export function toWebhooks(names: Names): Record<string, object> {
  return Object.fromEntries(
    KINDS.map(([type, operationId, summary, schema]) => [
      type,
      {
        post: {
          operationId,
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
            '2XX': { description: 'Taken. Anything else is tried again for days.' },
            410: { description: 'The address is gone: nothing is sent there any more.' },
          },
        },
      },
    ]),
  )
}
