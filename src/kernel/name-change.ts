import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from './nano/hex.ts'
import type { Json, JsonObject } from './shape.ts'

/** A change of a username, for its owner to sign. */
export interface NameChange {
  /** With or without `@`, in any case. */
  name: string
  /** The id of the offer. A signature is valid for one offer only. */
  id: string
  /** The fields of `update_name`, without `action`, `name`, `id` and `signature`. */
  changes: JsonObject
}

/**
 * The message that the owner of a name signs to authorise one change for one offer. It can never be mistaken for a
 * block: a block is signed as a hash of 32 bytes, and this message is longer.
 */
export function toNameChangeMessage({ name, id, changes }: NameChange): string {
  const digest = bytesToHex(sha256(new TextEncoder().encode(toCanonicalJson(changes)))).toLowerCase()
  return `nano-gateway update_name ${name.replace(/^@/, '').toLowerCase()} ${id.toLowerCase()} ${digest}`
}

/**
 * Canonical JSON (RFC 8785): the same value always gives the same text, with members in the order of their UTF-16 units
 * and no spaces.
 */
export function toCanonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter((entry): entry is [string, Json] => entry[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toCanonicalJson(member)}`).join(',')}}`
}
