import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, hexToBytes } from './hex.ts'

/** An account's public key: 64 upper-case hexadecimal digits. Outside of the kernel, accounts are addresses. */
export type PublicKey = string

const ALPHABET = '13456789abcdefghijkmnopqrstuwxyz'
const VALUES = new Map([...ALPHABET].map((letter, value) => [letter, value]))
/** 4 padding bits, 256 key bits and 40 checksum bits; five bits per character. */
const BODY_LENGTH = 60
const KEY_LENGTH = 52

export const ZERO_KEY: PublicKey = '0'.repeat(64)
export const BURN_ADDRESS = 'nano_1111111111111111111111111111111111111111111111111111hifc8npp'

function checksum(key: Uint8Array): Uint8Array {
  return blake2b(key, { dkLen: 5 }).reverse()
}

function encodeBits(bytes: Uint8Array, paddingBits: number): string {
  let text = ''
  let bits = paddingBits
  let buffer = 0
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(buffer >> bits) & 31]
    }
    buffer &= (1 << bits) - 1
  }
  return text
}

function decodeBits(text: string, paddingBits: number): Uint8Array | undefined {
  const bytes = new Uint8Array((text.length * 5 - paddingBits) / 8)
  let length = 0
  let bits = -paddingBits
  let buffer = 0
  for (const letter of text) {
    const value = VALUES.get(letter)
    if (value === undefined) return undefined
    buffer = (buffer << 5) | value
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[length++] = (buffer >> bits) & 255
    }
    buffer &= (1 << Math.max(bits, 0)) - 1
  }
  return bytes
}

/**
 * Recent conversions: the same addresses come again, and computing a checksum costs more than the rest of a small
 * request.
 */
const read = new Map<string, PublicKey>()
const written = new Map<PublicKey, string>()
const RECENT_MAX = 1_024

function remember(recent: Map<string, string>, text: string, value: string): string {
  if (recent.size >= RECENT_MAX) recent.clear()
  // A copy, because a substring would keep the whole request in memory.
  recent.set([...text].join(''), value)
  return value
}

/** The address of a public key, always with the prefix `nano_`. */
export function toAddress(key: PublicKey): string {
  return written.get(key) ?? remember(written, key, writeAddress(key))
}

function writeAddress(key: PublicKey): string {
  const bytes = hexToBytes(key)
  return `nano_${encodeBits(bytes, 4)}${encodeBits(checksum(bytes), 0)}`
}

/** Reads an address with any valid prefix; undefined if its form or checksum is wrong. */
export function fromAddress(text: string): PublicKey | undefined {
  const known = read.get(text)
  if (known !== undefined) return known
  const key = readAddress(text)
  return key === undefined ? undefined : remember(read, text, key)
}

function readAddress(text: string): PublicKey | undefined {
  const prefix = /^(?:nano|xrb|node)[_-]/.exec(text)?.[0]
  // A node accepts the separator `-` only for accounts; `node_` is for node ids.
  if (prefix === undefined || prefix === 'node-') return undefined
  const body = text.slice(prefix.length)
  if (body.length !== BODY_LENGTH || (body[0] !== '1' && body[0] !== '3')) return undefined
  const key = decodeBits(body.slice(0, KEY_LENGTH), 4)
  const check = decodeBits(body.slice(KEY_LENGTH), 0)
  if (!key || !check) return undefined
  return checksum(key).every((byte, at) => byte === check[at]) ? bytesToHex(key) : undefined
}

export function isAddress(text: string): boolean {
  return fromAddress(text) !== undefined
}
