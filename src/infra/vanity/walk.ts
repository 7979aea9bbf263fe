import { normalizeZ } from '@noble/curves/abstract/curve.js'
import { ed25519 } from '@noble/curves/ed25519.js'

const { Point } = ed25519
const { Fp, Fn, BASE } = Point
const P = Fp.ORDER

/**
 * How many keys on either side of a centre share one inversion. More would gain little, because the inversion is
 * already only a twentieth of the cost.
 */
const REACH = 256
/** Scalars stay multiples of eight, like every scalar of the standard. */
const STRIDE = 8n
const HOP = STRIDE * BigInt(2 * REACH + 1)
/** More steps than any search makes. */
const ROOM = 2n ** 64n

interface Offset {
  x: bigint
  y: bigint
  product: bigint
}

/** A secret start, made from 64 random bytes, with enough distance from both ends. */
export function toStart(bytes: Uint8Array): bigint {
  const number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  return STRIDE * (ROOM + (number % (Fn.ORDER / STRIDE - 2n * ROOM)))
}

/**
 * Searches neighbouring keys. A neighbour costs five multiplications instead of a whole derivation: only its y is
 * computed, from known coordinates, and one inversion is shared by all neighbours of a centre.
 */
export class VanityWalk {
  readonly #pattern: Pattern
  readonly #offsets = listOffsets()
  readonly #hop = BASE.multiply(HOP)
  #scalar: bigint
  #centre: typeof BASE

  constructor(start: bigint, pattern: Pattern) {
    this.#pattern = pattern
    this.#scalar = start
    this.#centre = BASE.multiply(start)
  }

  /** Tests the keys around the next centre; returns the scalar of a matching one, if any. */
  next(): bigint | undefined {
    const { x, y } = this.#centre.toAffine()
    const steps = this.#fits(y) ? 0 : this.#look(x, y)
    const scalar = steps === undefined ? undefined : this.#scalar + BigInt(steps) * STRIDE
    this.#scalar += HOP
    this.#centre = this.#centre.add(this.#hop)
    return scalar
  }

  /**
   * For two different points, y = (x₁y₁ - x₂y₂) / (x₁y₂ - x₂y₁) is the y of their sum; with both minus signs changed,
   * of their difference. All denominators are inverted together, through the inverse of their product.
   */
  #look(x: bigint, y: bigint): number | undefined {
    const product = (x * y) % P
    const below: bigint[] = []
    const products: bigint[] = []
    let all = 1n
    for (const offset of this.#offsets) {
      const one = x * offset.y
      const other = y * offset.x
      for (const denominator of [(one - other) % P, (one + other) % P]) {
        below.push(denominator)
        products.push(all)
        all = (all * denominator) % P
      }
    }
    let inverse = Fp.inv(Fp.create(all))
    for (let at = below.length - 1; at >= 0; at--) {
      const step = (at >> 1) + 1
      const isSum = at % 2 === 0
      const offset = this.#offsets[step - 1]!.product
      const above = isSum ? product - offset : product + offset
      const neighbour = (above * ((inverse * products[at]!) % P)) % P
      if (this.#fits(neighbour < 0n ? neighbour + P : neighbour)) return isSum ? step : -step
      inverse = (inverse * below[at]!) % P
    }
    return undefined
  }

  #fits(y: bigint): boolean {
    return (Number(BigInt.asIntN(32, y)) & this.#pattern.mask) === this.#pattern.wanted
  }
}

function listOffsets(): Offset[] {
  const stride = BASE.multiply(STRIDE)
  const points = [stride]
  while (points.length < REACH) points.push(points.at(-1)!.add(stride))
  return normalizeZ(Point, points).map((point) => {
    const { x, y } = point.toAffine()
    return { x, y, product: (x * y) % P }
  })
}

const ALPHABET = '13456789abcdefghijkmnopqrstuwxyz'

/** Each additional character takes 32 times as long; with this many, a search takes seconds. */
export const VANITY_MAX = 5

/**
 * Whether an address can begin with these characters after `nano_`. The first character contains only one bit of the
 * key.
 */
export function isVanityPrefix(text: string): boolean {
  return text.length <= VANITY_MAX && /^[13]/.test(text) && [...text].every((letter) => ALPHABET.includes(letter))
}

/**
 * A pattern for the lowest 32 bits of a key's y coordinate, as signed numbers: a key matches if `(bits & mask) ===
 * wanted`.
 */
export interface Pattern {
  mask: number
  wanted: number
}

/**
 * After four bits of padding, an address contains the key from its first byte, five bits per character. That byte is
 * the lowest of the coordinate. So the bits are arranged as in the address, and then read in reverse.
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
