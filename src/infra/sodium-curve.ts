import { createRequire } from 'node:module'
import { type Curve, Signatures, nobleCurve, useCurve } from '../kernel/nano/signatures.ts'
import { bytesToHex, hexToBytes } from '../kernel/nano/hex.ts'

/** The functions of libsodium that we use. Each throws if the library refuses. */
interface Sodium {
  crypto_generichash_batch(out: Uint8Array, parts: Uint8Array[]): void
  crypto_core_ed25519_scalar_reduce(out: Uint8Array, wide: Uint8Array): void
  crypto_scalarmult_ed25519_base_noclamp(out: Uint8Array, scalar: Uint8Array): void
  crypto_scalarmult_ed25519_noclamp(out: Uint8Array, scalar: Uint8Array, point: Uint8Array): void
  crypto_core_ed25519_sub(out: Uint8Array, left: Uint8Array, right: Uint8Array): void
  sodium_malloc(length: number): Uint8Array
  sodium_memzero(secret: Uint8Array): void
}

/** The selected library and, if it is not native, the reason. */
interface CurveChoice {
  curve: Curve['name']
  reason?: string
}

let chosen: CurveChoice | undefined

/**
 * Selects native code for this process if possible. The package is optional: without it everything works, but slower.
 */
export function useFastestCurve(): CurveChoice {
  if (chosen) return chosen
  try {
    useCurve(loadSodiumCurve())
    chosen = { curve: 'sodium' }
  } catch (error) {
    chosen = { curve: 'noble', reason: error instanceof Error ? error.message.split('\n')[0]! : 'unknown' }
  }
  return chosen
}

/** Throws if the package is not installed, has no binary for this machine, or gives other results than our own code. */
export function loadSodiumCurve(): Curve {
  const curve = overSodium(createRequire(import.meta.url)('sodium-native') as Sodium)
  prove(curve)
  return curve
}

function overSodium(sodium: Sodium): Curve {
  const base = new Uint8Array(32)
  const product = new Uint8Array(32)
  return {
    name: 'sodium',
    hash: (out, parts) => sodium.crypto_generichash_batch(out, parts),
    reduce: (out, wide) => sodium.crypto_core_ed25519_scalar_reduce(out, wide),
    multiplyBase: (out, scalar) => sodium.crypto_scalarmult_ed25519_base_noclamp(out, scalar),
    difference(s, h, key) {
      const difference = new Uint8Array(32)
      try {
        sodium.crypto_scalarmult_ed25519_base_noclamp(base, s)
        sodium.crypto_scalarmult_ed25519_noclamp(product, h, key)
        sodium.crypto_core_ed25519_sub(difference, base, product)
        return difference
      } catch {
        // The library refuses zeros, keys of small or mixed order, and unusual forms, all of which the node accepts.
        return nobleCurve.difference(s, h, key)
      }
    },
    secretMemory: (length) => sodium.sodium_malloc(length),
    wipe: (secret) => sodium.sodium_memzero(secret),
  }
}

/** The first key of the zero seed, and its signature of its own public key. */
const KNOWN = {
  privateKey: '9F0E444C69F77A49BD0BE89DB92C38FE713E0963165CCA12FAF5712D7657120F',
  publicKey: 'C008B814A7D269A1FA3C6528B19201A24D797912DB9996FF02A1FF356E45552B',
  signature:
    'B1A7E50A738BE4CD7330F6B923FAA7859A25CEB2B778D9B69AAB17598D5FDA3B4329ECADAB54331CED02027B90A9D00390FFEE8EF9DA4D99EB229A1F3FD7B903',
}

/** A wrong computation could reveal private keys, so the binary must first reproduce known results. */
function prove(curve: Curve): void {
  const signatures = new Signatures(curve)
  const key = hexToBytes(KNOWN.publicKey)
  const signature = signatures.sign(hexToBytes(KNOWN.privateKey), key)
  if (bytesToHex(signature) !== KNOWN.signature || !signatures.verify(key, key, signature)) {
    throw new Error('The native library computes other signatures.')
  }
}
