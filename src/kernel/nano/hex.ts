const HEX = /^[0-9a-fA-F]*$/
/** Tables instead of Buffer, because this code also runs in browsers; they are as fast. */
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0').toUpperCase())
const VALUES = new Uint8Array(128)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  VALUES[digit.charCodeAt(0)] = value
  VALUES[digit.toUpperCase().charCodeAt(0)] = value
}

/** Bytes in upper-case hexadecimal, the form of hashes, keys and signatures. */
export function bytesToHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += DIGITS[byte]!
  return text
}

/** Throws on text that is not an even number of hexadecimal digits. */
export function hexToBytes(hex: string): Uint8Array {
  if (hex.length % 2 !== 0 || !HEX.test(hex)) throw new TypeError('Not hexadecimal')
  const bytes = new Uint8Array(hex.length / 2)
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = (VALUES[hex.charCodeAt(2 * at)]! << 4) | VALUES[hex.charCodeAt(2 * at + 1)]!
  }
  return bytes
}

/** Whether the text is exactly `digits` hexadecimal digits, in any case. */
export function isHex(text: string, digits: number): boolean {
  return text.length === digits && HEX.test(text)
}
