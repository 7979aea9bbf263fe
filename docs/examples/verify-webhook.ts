import { createHmac, timingSafeEqual } from 'node:crypto'

/** Older deliveries are refused, because an attacker may have recorded one to send it again. */
const AGE_SECONDS_MAX = 300

type Headers = Record<string, string | string[] | undefined>

/**
 * Checks that a webhook comes from your gateway and returns its event; throws otherwise. Pass the body exactly as it arrived, unparsed. Afterwards compare
 * the event with your order, and process each `id` once.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: Headers,
  secret: string,
  nowSeconds = Math.floor(Date.now() / 1000),
): Record<string, unknown> {
  const body = Buffer.from(rawBody)
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  if (!/^\d+$/.test(timestamp) || Math.abs(nowSeconds - Number(timestamp)) > AGE_SECONDS_MAX) {
    throw new Error('The webhook is too old, or from the future.')
  }
  const expected = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest()
  // While a secret is being replaced, the header has one signature for the old secret and one for the new one.
  const signatures = headerOf(headers, 'webhook-signature').split(' ')
  const isGenuine = signatures.some((signature) => {
    const [version, value = ''] = signature.split(',')
    const given = Buffer.from(value, 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isGenuine) throw new Error('The signature of the webhook is wrong.')
  return JSON.parse(body.toString()) as Record<string, unknown>
}

function headerOf(headers: Headers, name: string): string {
  const value = headers[name]
  if (typeof value !== 'string') throw new Error(`The webhook has no ${name}.`)
  return value
}

/** A secret that begins with `whsec_` contains a key in base64; any other secret is the key itself. */
function keyOf(secret: string): Buffer {
  const encoded = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : ''
  const key = Buffer.from(encoded, 'base64')
  const isEncoded = key.length >= 24 && key.length <= 64 && key.toString('base64') === encoded
  return isEncoded ? key : Buffer.from(secret)
}
