/** The arithmetic beneath keys, signatures and hashes. Numbers have their lowest byte first, points are encoded. */
export interface Curve {
  /** Who computes, for the log. */
  readonly name: 'sodium' | 'noble'
  /** Blake2b over the parts, as long as `out` is: 16 to 64 bytes. */
  hash(out: Uint8Array, parts: Uint8Array[]): void
  /** A number of 64 bytes modulo the order of the group. */
  reduce(out: Uint8Array, wide: Uint8Array): void
  /** The base point times a number below the order. Throws on zero, whose point is everybody's. */
  multiplyBase(out: Uint8Array, scalar: Uint8Array): void
  /**
   * The base point times `s` less the key times `h`; undefined when the key is no point. The node says what a point is: all
   * 255 bits that are a height on the curve, of whatever order.
   */
  difference(s: Uint8Array, h: Uint8Array, key: Uint8Array): Uint8Array | undefined
  /** Memory for secrets, which is wiped after each use and never given back. */
  secretMemory(length: number): Uint8Array
  wipe(secret: Uint8Array): void
}
