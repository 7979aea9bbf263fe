import type { PublicKey } from './address.ts'
import { blake2b256, signatures } from './signatures.ts'
import { bytesToHex, hexToBytes } from './hex.ts'

export function publicKeyOf(privateKey: string): PublicKey {
  return withSecret(privateKey, (bytes) => bytesToHex(signatures.publicKey(bytes)))
}

/** Signs a block hash; the signature is deterministic. */
export function signHash(privateKey: string, hash: string): string {
  return withSecret(privateKey, (bytes) => bytesToHex(signatures.sign(bytes, hexToBytes(hash))))
}

/**
 * An expanded key, for keys without a seed. Both parts are 64 hexadecimal digits, and anyone who knows either of them can sign, because the secret nonces
 * are made from the prefix.
 */
export interface ScalarKey {
  /** The lowest byte comes first, as in the first half of an expanded private key. */
  scalar: string
  prefix: string
}

/** Throws if the scalar is zero in the group: then everybody could sign for its key. */
export function publicKeyOfScalar(scalar: string): PublicKey {
  return withSecret(scalar, (bytes) => bytesToHex(signatures.publicKeyOfScalar(bytes)))
}

/**
 * Signs a block hash with an expanded key. The signature is the same as with the private key from which it was
 * expanded.
 */
export function signHashWithScalar(key: ScalarKey, hash: string): string {
  return withSecret(key.scalar, (scalar) =>
    withSecret(key.prefix, (prefix) => bytesToHex(signatures.signWithScalar(scalar, prefix, hexToBytes(hash)))),
  )
}

/** Signs for one account. */
interface SigningKey {
  publicKey: PublicKey
  sign(hash: string): string
}

const PRIVATE_KEY_BYTES = 32
const EXPANDED_KEY_BYTES = 64

/**
 * Reads a key in either form: a private key of 32 bytes, or a scalar of 32 bytes followed by the prefix for its nonces.
 * The caller wipes the bytes; no copy is kept.
 */
export function toSigningKey(bytes: Uint8Array): SigningKey {
  if (bytes.length === PRIVATE_KEY_BYTES) {
    return {
      publicKey: bytesToHex(signatures.publicKey(bytes)),
      sign: (hash) => bytesToHex(signatures.sign(bytes, hexToBytes(hash))),
    }
  }
  if (bytes.length !== EXPANDED_KEY_BYTES) throw new TypeError('Not a signing key')
  const scalar = bytes.subarray(0, PRIVATE_KEY_BYTES)
  const prefix = bytes.subarray(PRIVATE_KEY_BYTES)
  return {
    publicKey: bytesToHex(signatures.publicKeyOfScalar(scalar)),
    sign: (hash) => bytesToHex(signatures.signWithScalar(scalar, prefix, hexToBytes(hash))),
  }
}

/** Verifies a signature of a block hash like a node. Malformed points and scalars return false and never throw. */
export function verifyHash(key: PublicKey, hash: string, signature: string): boolean {
  try {
    return signatures.verify(hexToBytes(key), hexToBytes(hash), hexToBytes(signature))
  } catch {
    // A malformed signature is a wrong one.
    return false
  }
}

/** Signs a message. Refuses one of 32 bytes, because that could be the hash of a block. */
export function signText(privateKey: string, text: string): string {
  return withSecret(privateKey, (bytes) => bytesToHex(signatures.sign(bytes, wordsOf(text))))
}

/**
 * Coordinates of the points of small order, without the sign: anybody can make signatures for them that are sometimes
 * valid.
 */
const SMALL_ORDERS = new Set([
  '0'.repeat(64),
  `01${'0'.repeat(62)}`,
  `EC${'F'.repeat(60)}7F`,
  'C7176A703D4DD84FBA3C0B760D10670F2A2053FA2C39CCC64EC7FD7792AC037A',
  '26E8958FC2B227B045C3F489F2EF98F0D5DFAC05D3C63339B13802886D53FC05',
  `ED${'F'.repeat(60)}7F`,
  `EE${'F'.repeat(60)}7F`,
])

/**
 * Verifies the signature of a message. Stricter than the ledger, because the signer's identity matters: a key for which
 * anybody can sign proves nothing, and each signature has exactly one valid form.
 */
export function verifyText(key: PublicKey, text: string, signature: string): boolean {
  try {
    const [keyBytes, signed] = [hexToBytes(key), hexToBytes(signature)]
    const height = keyBytes.slice()
    height[31]! &= 127
    if (SMALL_ORDERS.has(bytesToHex(height)) || !signatures.isReduced(signed)) return false
    return signatures.verify(keyBytes, wordsOf(text), signed)
  } catch {
    // A malformed signature is not valid, and neither is one of a message that could be a block.
    return false
  }
}

function wordsOf(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length === 32) throw new TypeError('Words of 32 bytes could be a block.')
  return bytes
}

/** The private key at an index of a seed. */
export function deriveKey(seed: string, index: number): string {
  return withSecret(seed, (bytes) => {
    const key = deriveKeyBytes(bytes, index)
    try {
      return bytesToHex(key)
    } finally {
      key.fill(0)
    }
  })
}

const INDEX_MAX = 2 ** 32 - 1

/** The same as bytes, which the caller wipes. */
export function deriveKeyBytes(seed: Uint8Array, index: number): Uint8Array {
  if (!Number.isInteger(index) || index < 0 || index > INDEX_MAX) throw new RangeError('A seed has 2^32 keys.')
  const input = new Uint8Array(36)
  input.set(seed)
  new DataView(input.buffer).setUint32(32, index)
  try {
    return blake2b256(input)
  } finally {
    input.fill(0)
  }
}

/** Converts a secret to bytes for one call, and wipes them. The text itself cannot be wiped. */
function withSecret<T>(hex: string, run: (bytes: Uint8Array) => T): T {
  const bytes = hexToBytes(hex)
  try {
    return run(bytes)
  } finally {
    bytes.fill(0)
  }
}
