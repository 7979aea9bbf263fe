import { GatewayError, type WebhookEvent, verifyWebhook } from '../client/index.ts'
import { optionError } from './errors.ts'
import type { WebhookPayload } from './shapes.ts'

/**
 * The event of a genuine webhook; throws otherwise. How old it is does not matter: Medusa may work on it long after it came, and
 * whatever it says is asked of the gateway before anything follows from it.
 */
export function readEvent({ rawData, headers }: WebhookPayload, secret: string): WebhookEvent {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const nowSeconds = Number(named['webhook-timestamp'])
  try {
    const texts = named as Record<string, string | undefined>
    return verifyWebhook(rawData, texts, secret, { form: 'standard', nowSeconds })
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    throw optionError('webhookSecret', `a webhook came that it does not fit. ${error.message}`, error)
  }
}
