import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '../kernel/nano/hex.ts'
import { GatewayError } from './gateway-error.ts'
import type { WebhookEvent } from './generated/answers.ts'

/** Refuse older deliveries: an attacker may have recorded one to send it again. */
const AGE_SECONDS_MAX = 300

/** Headers in the form of any framework: an object with names in any case, `Headers`, or pairs. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [string, string]>

export interface WebhookOptions {
  /** Seconds since 1970; by default the current time. */
  nowSeconds?: number | undefined
  /**
   * `standard` requires the `webhook-*` headers, which include a time. By default a delivery with only `Nano-Signature`
   * is accepted, too.
   */
  form?: 'standard' | 'either' | undefined
}

/**
 * Checks that a webhook comes from your gateway and returns its event; throws `GatewayError` otherwise. Pass the body
 * exactly as it arrived, before anything parses it. Then compare the event with your order, and act once for each `id`:
 * the signature alone does not stop a repeated delivery from counting twice.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
  { nowSeconds = Math.floor(Date.now() / 1_000), form = 'either' }: WebhookOptions = {},
): WebhookEvent {
  const body = toBytes(rawBody)
  const named = readHeaders(headers)
  const [standard, simple] = [named.get('webhook-signature'), named.get('nano-signature')]
  if (standard !== undefined) checkStandard(body, named, standard, secret, nowSeconds)
  else if (simple !== undefined && form === 'either') checkSimple(body, simple, secret)
  else throw invalid('The webhook has no signature.')
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent
}

const invalid = (message: string) => new GatewayError(message, { code: 'webhook_invalid' })

function toBytes(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  return body instanceof Uint8Array ? body : new Uint8Array(body)
}

function readHeaders(headers: WebhookHeaders): Map<string, string> {
  const pairs = Symbol.iterator in headers ? [...headers] : Object.entries(headers)
  const texts = pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return new Map(texts.map(([name, value]) => [name.toLowerCase(), value]))
}

/** Standard Webhooks: signs id, time and body. While a secret is being replaced there are two signatures. */
function checkStandard(
  body: Uint8Array,
  headers: Map<string, string>,
  signatures: string,
  secret: string,
  nowSeconds: number,
): void {
  const [id = '', timestamp = ''] = [headers.get('webhook-id'), headers.get('webhook-timestamp')]
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const expected = hmac.create(sha256, keyOf(secret)).update(head).update(body).digest()
  const isGenuine = signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',')
    return version === 'v1' && isSame(fromBase64(value), expected)
  })
  if (!isGenuine) throw invalid('The signature of the webhook is wrong.')
  if (!/^\d+$/.test(timestamp) || Math.abs(nowSeconds - Number(timestamp)) > AGE_SECONDS_MAX) {
    throw new GatewayError('The webhook is too old, or from the future.', { code: 'webhook_too_old' })
  }
}

/** The hexadecimal HMAC of the body, with the text of the secret as its key. */
function checkSimple(body: Uint8Array, signature: string, secret: string): void {
  const expected = bytesToHex(hmac(sha256, new TextEncoder().encode(secret), body)).toLowerCase()
  const [given, wanted] = [signature, expected].map((text) => new TextEncoder().encode(text))
  if (!isSame(given, wanted!)) throw invalid('The signature of the webhook is wrong.')
}

/** Compares in constant time. */
function isSame(given: Uint8Array | undefined, expected: Uint8Array): boolean {
  if (given?.length !== expected.length) return false
  return given.reduce((difference, byte, at) => difference | (byte ^ expected[at]!), 0) === 0
}

/** A secret that begins with `whsec_` contains a key in base64; any other secret is the key itself. */
function keyOf(secret: string): Uint8Array {
  const key = secret.startsWith('whsec_') ? fromBase64(secret.slice('whsec_'.length)) : undefined
  return key && key.length >= 24 && key.length <= 64 ? key : new TextEncoder().encode(secret)
}

/** Undefined for text that is not canonical base64. */
function fromBase64(text: string): Uint8Array | undefined {
  try {
    const binary = atob(text)
    return btoa(binary) === text ? Uint8Array.from(binary, (letter) => letter.charCodeAt(0)) : undefined
  } catch {
    // Not base64 at all.
    return undefined
  }
}
