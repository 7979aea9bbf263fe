import { hash } from 'node:crypto'
import { bytesToHex } from './nano/hex.ts'
import type { Random } from './ports.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BODY_LENGTH = 32
const CHECKSUM_LENGTH = 6

export type KeyKind = 'secret' | 'public'
const PREFIXES: Record<KeyKind, string> = { secret: 'rpc_sk_', public: 'rpc_pk_' }

function toBase58(hex: string, length: number): string {
  let value = BigInt(`0x${hex}`)
  let text = ''
  for (let at = 0; at < length; at++) {
    text += ALPHABET[Number(value % 58n)]
    value /= 58n
  }
  return text
}

function checksum(text: string): string {
  return toBase58(hash('sha256', text), CHECKSUM_LENGTH)
}

/** Unpredictable base58 text, with full entropy up to 40 characters. */
export function randomId(random: Random, length: number): string {
  return toBase58(bytesToHex(random.bytes(32)), length)
}

/** A new key. Its checksum reveals a typing error without a look-up in the store (contract 5). */
export function createApiKey(kind: KeyKind, random: Random): string {
  const body = `${PREFIXES[kind]}${randomId(random, BODY_LENGTH)}`
  return body + checksum(body)
}

/** The kind of key that a text looks like: it is short, and begins with the prefix of the kind. */
function kindByForm(key: string): KeyKind | undefined {
  const kind = key.startsWith(PREFIXES.secret) ? 'secret' : key.startsWith(PREFIXES.public) ? 'public' : undefined
  return kind && key.length === PREFIXES[kind].length + BODY_LENGTH + CHECKSUM_LENGTH ? kind : undefined
}

/** Whether a text looks like a key. Very cheap; the checksum is not verified. */
export const looksLikeApiKey = (key: string) => kindByForm(key) !== undefined

export function kindOfApiKey(key: string): KeyKind | undefined {
  const kind = kindByForm(key)
  if (kind === undefined) return undefined
  const body = key.slice(0, -CHECKSUM_LENGTH)
  return checksum(body) === key.slice(-CHECKSUM_LENGTH) ? kind : undefined
}

/** The form in which a key is stored; the key cannot be recovered from it. */
export function hashApiKey(key: string): string {
  return hash('sha256', key)
}
