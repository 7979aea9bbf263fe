const ALPHABET = '13456789abcdefghijkmnopqrstuwxyz'

/** Every further character takes 32 times as long; this many take seconds. */
export const VANITY_MAX = 5

/** Whether an address can begin with these characters after `nano_`; the first one holds a single bit of the key. */
export function isVanityPrefix(text: string): boolean {
  return text.length <= VANITY_MAX && /^[13]/.test(text) && [...text].every((letter) => ALPHABET.includes(letter))
}

/** The lowest 32 bits of a key's y coordinate, as signed numbers, fit when `(bits & mask) === wanted`. */
export interface Pattern {
  mask: number
  wanted: number
}

/**
 * An address spells the key from its first byte on, five bits to a character after four bits of padding; that byte is the
 * lowest of the coordinate. So the bits are lined up as the address has them, and read the other way round.
 */
export function toPattern(prefix: string): Pattern {
  let value = 0
  for (const letter of prefix) value = value * 32 + ALPHABET.indexOf(letter)
  const unused = 32 - (prefix.length * 5 - 4)
  const bytes = new DataView(new ArrayBuffer(8))
  bytes.setInt32(0, -1 << unused)
  bytes.setInt32(4, value << unused)
  return { mask: bytes.getInt32(0, true), wanted: bytes.getInt32(4, true) }
}
