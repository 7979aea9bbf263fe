import { eddsa } from '@noble/curves/abstract/edwards.js'
import { ed25519 } from '@noble/curves/ed25519.js'
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

/** Checks a signature over a block hash. Malformed points and scalars are false, never an exception. */
export function verifyHash(key: PublicKey, hash: string, signature: string): boolean {
  try {
    return scheme.verify(hexToBytes(signature), hexToBytes(hash), hexToBytes(key), { zip215: false })
  } catch {
    return false
  }
}

/** The private key at an index of a seed. */
export function deriveKey(seed: string, index: number): string {
  const input = new Uint8Array(36)
  input.set(hexToBytes(seed))
  new DataView(input.buffer).setUint32(32, index)
  return bytesToHex(blake2b(input, { dkLen: 32 }))
}
