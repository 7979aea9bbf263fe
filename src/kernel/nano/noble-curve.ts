import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'
import type { Curve } from './curve.ts'

const { BASE, Fn } = ed25519.Point

const toScalar = (bytes: Uint8Array): bigint => Fn.create(bytesToNumberLE(bytes))

function toPoint(key: Uint8Array): InstanceType<typeof ed25519.Point> | undefined {
  try {
    // Lenient, as the node is: heights above the field's prime are reduced, and zero may have a sign.
    return ed25519.Point.fromBytes(key, true)
  } catch {
    // No point of the curve has this height.
    return undefined
  }
}

/** In JavaScript alone: wherever native code is missing, and the judge of what it computes. */
export const nobleCurve: Curve = {
  name: 'noble',
  hash(out, parts) {
    const hasher = blake2b.create({ dkLen: out.length })
    for (const part of parts) hasher.update(part)
    hasher.digestInto(out)
  },
  reduce(out, wide) {
    out.set(Fn.toBytes(toScalar(wide)))
  },
  multiplyBase(out, scalar) {
    out.set(BASE.multiply(toScalar(scalar)).toBytes())
  },
  difference(s, h, key) {
    const point = toPoint(key)
    return (
      point &&
      BASE.multiplyUnsafe(toScalar(s))
        .subtract(point.multiplyUnsafe(toScalar(h)))
        .toBytes()
    )
  },
  secretMemory: (length) => new Uint8Array(length),
  wipe: (secret) => void secret.fill(0),
}
