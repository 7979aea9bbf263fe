const HEX = /^[0-9a-fA-F]*$/

/** Bytes as upper-case hexadecimal, the way the ledger prints hashes, keys and signatures. */
export function bytesToHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex').toUpperCase()
}

/** Throws on text that is not an even number of hexadecimal digits. */
export function hexToBytes(hex: string): Uint8Array {
  if (hex.length % 2 !== 0 || !HEX.test(hex)) throw new TypeError('Not hexadecimal')
  return new Uint8Array(Buffer.from(hex, 'hex'))
}

/** True for exactly `digits` hexadecimal digits in either case. */
export function isHex(text: string, digits: number): boolean {
  return text.length === digits && HEX.test(text)
}
