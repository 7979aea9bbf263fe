import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'
const KEY_BYTES_MIN = 24
const KEY_BYTES_MAX = 64

interface ToSign {
  /** The event's id, the same on every attempt. */
  id: string
  /** Unix seconds of this attempt. */
  timestamp: number
  body: string
  /** The current secret first; then one that is being replaced. */
  secrets: readonly [string, ...string[]]
}

/** The headers that prove the origin of a body: ours, and the three of Standard Webhooks (contract 6). */
export function signBody({ id, timestamp, body, secrets }: ToSign): Record<string, string> {
  const signed = `${id}.${timestamp}.${body}`
  return {
    'Nano-Signature': createHmac('sha256', secrets[0]).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets
      .map((secret) => `v1,${createHmac('sha256', toKey(secret)).update(signed).digest('base64')}`)
      .join(' '),
  }
}

/** Standard Webhooks secrets are base64 after a prefix; any other secret is used as text. */
function toKey(secret: string): Buffer {
  const encoded = secret.slice(PREFIX.length)
  const bytes = Buffer.from(encoded, 'base64')
  const isEncoded = secret.startsWith(PREFIX) && bytes.toString('base64') === encoded
  const fits = bytes.length >= KEY_BYTES_MIN && bytes.length <= KEY_BYTES_MAX
  return isEncoded && fits ? bytes : Buffer.from(secret)
}
