import { eddsa } from '@noble/curves/abstract/edwards.js'
import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE, concatBytes } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'
import type { PublicKey } from './address.ts'
import { bytesToHex, hexToBytes } from './hex.ts'

const blake2b512 = Object.assign((message: Uint8Array) => blake2b(message, { dkLen: 64 }), {
  outputLen: 64,
  blockLen: 128,
  create: () => blake2b.create({ dkLen: 64 }),
})

/** Nano signs with Ed25519 over Blake2b-512 where the standard has SHA-512. */
const scheme = eddsa(ed25519.Point, blake2b512, {
  adjustScalarBytes(bytes: Uint8Array) {
    bytes[0]! &= 248
    bytes[31]! &= 127
    bytes[31]! |= 64
    return bytes
  },
})

export function publicKeyOf(privateKey: string): PublicKey {
  return bytesToHex(scheme.getPublicKey(hexToBytes(privateKey)))
}

/** Signs a block hash; the signature is deterministic. */
export function signHash(privateKey: string, hash: string): string {
  return bytesToHex(scheme.sign(hexToBytes(hash), hexToBytes(privateKey)))
}

/**
 * A key in its expanded form, for keys that no seed leads to. Both halves are 64 hexadecimal digits, and whoever knows
 * either of them can sign: the prefix is what the secret nonces are made from.
 */
export interface ScalarKey {
  /** The lowest byte comes first, as in the first half of an expanded private key. */
  scalar: string
  prefix: string
}

const { BASE, Fn } = ed25519.Point

/** Throws on a scalar that is zero in the group: everybody could sign for its key. */
export function publicKeyOfScalar(scalar: string): PublicKey {
  return bytesToHex(BASE.multiply(toScalar(scalar)).toBytes())
}

/** Signs a block hash with an expanded key, byte for byte as the private key would, had it been expanded to this one. */
export function signHashWithScalar(key: ScalarKey, hash: string): string {
  const message = hexToBytes(hash)
  const scalar = toScalar(key.scalar)
  const nonce = hashToScalar(thirtyTwoBytes(key.prefix), message)
  const commitment = BASE.multiply(nonce).toBytes()
  // The public key is never taken from outside: two signatures that differ in it alone would give the scalar away.
  const challenge = hashToScalar(commitment, BASE.multiply(scalar).toBytes(), message)
  return bytesToHex(concatBytes(commitment, Fn.toBytes(Fn.create(nonce + challenge * scalar))))
}

/** Reduced by the order of the group, which changes no public key and no signature. */
function toScalar(hex: string): bigint {
  return Fn.create(bytesToNumberLE(thirtyTwoBytes(hex)))
}

function hashToScalar(...parts: Uint8Array[]): bigint {
  return Fn.create(bytesToNumberLE(blake2b512(concatBytes(...parts))))
}

/** A short prefix would make nonces that can be guessed, and with a nonce the key. */
function thirtyTwoBytes(hex: string): Uint8Array {
  const bytes = hexToBytes(hex)
  if (bytes.length !== 32) throw new TypeError('Not 32 bytes')
  return bytes
}

/** Checks a signature over a block hash. Malformed points and scalars are false, never an exception. */
export function verifyHash(key: PublicKey, hash: string, signature: string): boolean {
  try {
    return scheme.verify(hexToBytes(signature), hexToBytes(hash), hexToBytes(key), { zip215: false })
  } catch {
    // Malformed, which is as good as wrong.
    return false
  }
}

/** Signs words. Whoever is asked to sign them must never sign a block by it, and blocks are signed as 32 bytes. */
export function signText(privateKey: string, text: string): string {
  return bytesToHex(scheme.sign(wordsOf(text), hexToBytes(privateKey)))
}

/** Checks a signature over words. */
export function verifyText(key: PublicKey, text: string, signature: string): boolean {
  try {
    return scheme.verify(hexToBytes(signature), wordsOf(text), hexToBytes(key), { zip215: false })
  } catch {
    // What is no signature, or could be a block, signs no words.
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
  const input = new Uint8Array(36)
  input.set(hexToBytes(seed))
  new DataView(input.buffer).setUint32(32, index)
  return bytesToHex(blake2b(input, { dkLen: 32 }))
}
