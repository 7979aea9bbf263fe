import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'

const { BASE, Fn } = ed25519.Point

const toScalar = (bytes: Uint8Array): bigint => Fn.create(bytesToNumberLE(bytes))

function toPoint(key: Uint8Array): InstanceType<typeof ed25519.Point> | undefined {
  try {
    // As lenient as a node: coordinates above the field's prime are reduced, and zero may have a sign.
    return ed25519.Point.fromBytes(key, true)
  } catch {
    // The curve has no point with this coordinate.
    return undefined
  }
}

/** Implemented in JavaScript: used if there is no native code, and to check the results of native code. */
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

/**
 * Nano's signatures: Ed25519 with Blake2b-512 instead of SHA-512. The protocol is implemented once, above an exchangeable library for
 * the arithmetic of the curve.
 *
 * All secrets are in memory that is reserved once and wiped after each call. Calls are synchronous, so no two of them use it at the
 * same time.
 */
export class Signatures {
  readonly #curve: Curve
  readonly #secret: Uint8Array
  readonly #wide: Uint8Array
  readonly #scalar: Uint8Array
  readonly #prefix: Uint8Array
  readonly #nonce: Uint8Array

  constructor(curve: Curve) {
    this.#curve = curve
    this.#secret = curve.secretMemory(160)
    this.#wide = this.#secret.subarray(0, 64)
    this.#scalar = this.#secret.subarray(64, 96)
    this.#prefix = this.#secret.subarray(96, 128)
    this.#nonce = this.#secret.subarray(128, 160)
  }

  publicKey(privateKey: Uint8Array): Uint8Array {
    return this.#discreetly(() => {
      this.#expand(privateKey)
      return this.#publicKey()
    })
  }

  sign(privateKey: Uint8Array, message: Uint8Array): Uint8Array {
    return this.#discreetly(() => {
      this.#expand(privateKey)
      return this.#sign(message)
    })
  }

  /** Throws if the scalar is zero in the group: then everybody could sign for its key. */
  publicKeyOfScalar(scalar: Uint8Array): Uint8Array {
    return this.#discreetly(() => {
      this.#take(scalar)
      return this.#publicKey()
    })
  }

  /** Signs with an expanded key. The signature is the same as with the private key from which it was expanded. */
  signWithScalar(scalar: Uint8Array, prefix: Uint8Array, message: Uint8Array): Uint8Array {
    return this.#discreetly(() => {
      this.#take(scalar)
      // With a short prefix the nonces could be guessed, and the key follows from a nonce.
      this.#prefix.set(thirtyTwoBytes(prefix))
      return this.#sign(message)
    })
  }

  /**
   * Agrees with nodes even where the standard differs: the scalar may be up to 2²⁵³ and need not be reduced, the key
   * may have a coordinate above the prime or a small order, and R is compared as it is written.
   */
  verify(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
    if (key.length !== 32 || signature.length !== 64 || (signature[63]! & 224) !== 0) return false
    const commitment = signature.subarray(0, 32)
    const challenge = this.#hashToScalar(new Uint8Array(32), [commitment, key, message])
    const expected = this.#curve.difference(signature.subarray(32), challenge, key)
    return expected !== undefined && commitment.every((byte, index) => byte === expected[index])
  }

  /** Whether the number in the second half of a signature is reduced, so that the signature has only one form. */
  isReduced(signature: Uint8Array): boolean {
    const scalar = signature.subarray(32, 64)
    const wide = new Uint8Array(64)
    wide.set(scalar)
    const reduced = new Uint8Array(32)
    this.#curve.reduce(reduced, wide)
    return scalar.every((byte, index) => byte === reduced[index])
  }

  #expand(privateKey: Uint8Array): void {
    this.#curve.hash(this.#wide, [thirtyTwoBytes(privateKey)])
    this.#prefix.set(this.#wide.subarray(32))
    this.#wide.fill(0, 32)
    this.#wide[0]! &= 248
    this.#wide[31]! &= 127
    this.#wide[31]! |= 64
    this.#curve.reduce(this.#scalar, this.#wide)
  }

  /** Reduced by the order of the group, which changes neither public key nor signature. */
  #take(scalar: Uint8Array): void {
    this.#wide.set(thirtyTwoBytes(scalar))
    this.#wide.fill(0, 32)
    this.#curve.reduce(this.#scalar, this.#wide)
  }

  #publicKey(): Uint8Array {
    const key = new Uint8Array(32)
    this.#curve.multiplyBase(key, this.#scalar)
    return key
  }

  #sign(message: Uint8Array): Uint8Array {
    const signature = new Uint8Array(64)
    const commitment = signature.subarray(0, 32)
    this.#hashToScalar(this.#nonce, [this.#prefix, message])
    this.#curve.multiplyBase(commitment, this.#nonce)
    // The public key is never passed in: two signatures that differ only in the public key would reveal the scalar.
    const challenge = this.#hashToScalar(new Uint8Array(32), [commitment, this.#publicKey(), message])
    multiplyAdd(this.#wide, challenge, this.#scalar, this.#nonce)
    this.#curve.reduce(signature.subarray(32), this.#wide)
    return signature
  }

  #hashToScalar(out: Uint8Array, parts: Uint8Array[]): Uint8Array {
    this.#curve.hash(this.#wide, parts)
    this.#curve.reduce(out, this.#wide)
    return out
  }

  #discreetly<T>(run: () => T): T {
    try {
      return run()
    } finally {
      this.#curve.wipe(this.#secret)
    }
  }
}

/**
 * `a * b + c` as a number of 64 bytes. Takes the same steps for all numbers, and leaves no copy that could not be
 * wiped.
 */
function multiplyAdd(out: Uint8Array, a: Uint8Array, b: Uint8Array, c: Uint8Array): void {
  let sum = 0
  for (let place = 0; place < 64; place++) {
    if (place < 32) sum += c[place]!
    const last = Math.min(place, 31)
    for (let index = Math.max(0, place - 31); index <= last; index++) sum += a[index]! * b[place - index]!
    out[place] = sum & 255
    sum >>>= 8
  }
}

function thirtyTwoBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== 32) throw new TypeError('Not 32 bytes')
  return bytes
}

let curveInUse: Curve = nobleCurve
export let signatures = new Signatures(nobleCurve)

/**
 * Selects the library of this process. Programs select native code at their start; code for browsers never contains it.
 */
export function useCurve(curve: Curve): void {
  curveInUse = curve
  signatures = new Signatures(curve)
}

/** Blake2b-256, the ledger's hash. */
export function blake2b256(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(32)
  curveInUse.hash(out, [bytes])
  return out
}

/** The arithmetic used by keys, signatures and hashes. In numbers the lowest byte comes first; points are encoded. */
export interface Curve {
  /** Name of the library, for the log. */
  readonly name: 'sodium' | 'noble'
  /** Blake2b over the parts; its length is that of `out`, 16 to 64 bytes. */
  hash(out: Uint8Array, parts: Uint8Array[]): void
  /** A number of 64 bytes modulo the order of the group. */
  reduce(out: Uint8Array, wide: Uint8Array): void
  /** The base point times a number below the order. Throws on zero, because anybody could sign for that point. */
  multiplyBase(out: Uint8Array, scalar: Uint8Array): void
  /**
   * The base point times `s` minus the key times `h`; undefined if the key is not a point. As in a node, any 255 bits
   * that are a coordinate on the curve are a point, whatever its order.
   */
  difference(s: Uint8Array, h: Uint8Array, key: Uint8Array): Uint8Array | undefined
  /** Memory for secrets, which is wiped after each use and never freed. */
  secretMemory(length: number): Uint8Array
  wipe(secret: Uint8Array): void
}
