import { crc32 } from 'node:zlib'
import type { QrOutline } from '../../kernel/ports.ts'
import { type QrModules, toModules } from './modules.ts'

/** A QR code as the outline of its dark modules, for a drawing `size` units wide, quiet zone included. */
export function qrOutline(text: string): QrOutline {
  const { size, dark } = toModules(text)
  let path = ''
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (dark[y * size + x] === 0) continue
      const start = x
      while (x + 1 < size && dark[y * size + x + 1] === 1) x++
      path += `M${start + QUIET_MODULES} ${y + QUIET_MODULES}h${x - start + 1}v1h-${x - start + 1}z`
    }
  }
  return { size: size + 2 * QUIET_MODULES, path }
}

/** A QR code as a picture inside an answer: a data URI of a black and white PNG. */
export function qrPng(text: string): string {
  return `data:image/png;base64,${toPng(toModules(text)).toString('base64')}`
}

const MODULE_PIXELS = 6
const QUIET_MODULES = 4
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const END = Buffer.from('0000000049454e44ae426082', 'hex')
/** A line of pixels is written once and copied five times; a copy has at most this length. */
const COPY_MAX = 258
const ADLER = 65_521
/** Four modules are three bytes; every byte of such a picture is one of these. */
const GROUP = 4
const BYTES = [0x00, 0xff, 0x03, 0x0f, 0x3f, 0xc0, 0xf0, 0xfc]
const END_OF_BLOCK = 256

interface Code {
  bits: number
  length: number
}

/**
 * What all lines of one width have in common: the table of codes at the beginning, and the codes of groups and copies.
 */
interface Form {
  width: number
  /** Bytes of a line, including the byte that names its filter. */
  bytes: number
  table: Code[]
  /** By the number of modules in a group, and by which of them are dark. */
  groups: readonly (readonly { code: Code; bytes: readonly number[] }[])[]
  filter: Code
  copies: Code[]
  end: Code
}

const forms = new Map<number, Form>()

/**
 * A picture with one bit per pixel. The deflate stream is written directly: a general implementation takes ten times as
 * long to find out that there are only eight different bytes and that each line appears six times.
 */
export function toPng({ size, dark }: QrModules): Buffer {
  const side = size + 2 * QUIET_MODULES
  const form = forms.get(side) ?? makeForm(side)
  const { width, bytes, groups, table, filter, copies, end } = form
  const png = Buffer.alloc(SIGNATURE.length + 25 + 12 + 80 + side * (bytes + 16) + END.length)
  SIGNATURE.copy(png)
  png.writeUInt32BE(13, 8)
  png.write('IHDR', 12, 'latin1')
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(width, 20)
  png[24] = 1
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  png.write('IDAT', 37, 'latin1')
  // The header of zlib: deflate, any window, no dictionary.
  png.writeUInt16BE(0x7801, 41)
  const out = new BitWriter(png, 43)
  for (const code of table) out.put(code)
  let [sum, sums] = [1, 0]
  for (let y = -QUIET_MODULES; y < size + QUIET_MODULES; y++) {
    out.put(filter)
    let [own, weighted] = [0, 0]
    for (let x = -QUIET_MODULES; x < size + QUIET_MODULES; x += GROUP) {
      const count = Math.min(GROUP, size + QUIET_MODULES - x)
      let shape = 0
      for (let at = 0; at < count; at++) {
        const inside = y >= 0 && y < size && x + at >= 0 && x + at < size
        shape = (shape << 1) | (inside ? dark[y * size + x + at]! : 0)
      }
      const group = groups[count]![shape]!
      out.put(group.code)
      for (const byte of group.bytes) weighted += own += byte
    }
    for (const copy of copies) out.put(copy)
    for (let line = 0; line < MODULE_PIXELS; line++) {
      sums = (sums + bytes * sum + weighted) % ADLER
      sum = (sum + own) % ADLER
    }
  }
  out.put(end)
  let at = out.finish()
  at = png.writeUInt32BE(sums * 65_536 + sum, at)
  png.writeUInt32BE(at - 41, 33)
  at = png.writeUInt32BE(crc32(png.subarray(37, at)), at)
  return png.subarray(0, at + END.copy(png, at))
}

class BitWriter {
  readonly #into: Buffer
  #at: number
  #held = 0
  #count = 0

  constructor(into: Buffer, at: number) {
    this.#into = into
    this.#at = at
  }

  put({ bits, length }: Code): void {
    this.#held |= bits << this.#count
    this.#count += length
    while (this.#count >= 8) {
      this.#into[this.#at++] = this.#held & 0xff
      this.#held >>>= 8
      this.#count -= 8
    }
  }

  finish(): number {
    if (this.#count > 0) this.#into[this.#at++] = this.#held
    return this.#at
  }
}

/**
 * The codes for a picture with this many modules per side. In the terms of RFC 1951 it is one block with its own table.
 */
function makeForm(side: number): Form {
  const width = side * MODULE_PIXELS
  const bytes = Math.ceil(width / 8) + 1
  const linesAtOnce = Math.min(MODULE_PIXELS - 1, Math.floor(COPY_MAX / bytes))
  const copied: number[] = []
  for (let left = MODULE_PIXELS - 1; left > 0; left -= linesAtOnce) copied.push(Math.min(left, linesAtOnce) * bytes)
  const lengths = [...new Set(copied)].map(lengthCode)
  const lengthSymbols = [...new Set(lengths.map(({ symbol }) => symbol))]
  const distance = distanceCode(bytes)
  const sizes = codeSizes(lengthSymbols)
  const codes = toCodes(sizes)
  const copies = copied.map((length) => {
    const { symbol, extra, extraBits } = lengthCode(length)
    // There is only one distance, so its code is one bit, 0.
    return join([codes[symbol]!, { bits: extra, length: extraBits }, { bits: 0, length: 1 }, distance.rest])
  })
  const groups = [0, 1, 2, 3, 4].map((count) =>
    Array.from({ length: 1 << count }, (_, shape) => {
      const drawn = drawGroup(shape, count)
      return { code: join(drawn.map((byte) => codes[byte]!)), bytes: drawn }
    }),
  )
  const table = toTable(sizes, distance.symbol)
  const form = { width, bytes, table, groups, filter: codes[0]!, copies, end: codes[END_OF_BLOCK]! }
  forms.set(side, form)
  return form
}

/** Bits of pixels, 1 is white. The padding of the last byte has the colour of the last module. */
function drawGroup(shape: number, count: number): number[] {
  let pixels = ''
  for (let at = count - 1; at >= 0; at--) pixels += ((shape >> at) & 1 ? '0' : '1').repeat(MODULE_PIXELS)
  pixels = pixels.padEnd(Math.ceil(pixels.length / 8) * 8, shape & 1 ? '0' : '1')
  return (pixels.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2))
}

/** The length of each symbol's code: short for plain black and white, and complete, so that no code is unused. */
function codeSizes(lengthSymbols: readonly number[]): number[] {
  const sizes = Array.from({ length: Math.max(END_OF_BLOCK, ...lengthSymbols) + 1 }, () => 0)
  BYTES.forEach((byte, at) => (sizes[byte] = at < 2 ? 2 : 4))
  lengthSymbols.forEach((symbol, at) => (sizes[symbol] = 4 + at))
  sizes[END_OF_BLOCK] = 3 + lengthSymbols.length
  return sizes
}

/** Codes by symbol, first bit first. */
function toCodes(sizes: readonly number[]): Code[] {
  const codes: Code[] = []
  let next = 0
  for (let length = 1; length <= Math.max(...sizes); length++) {
    next <<= 1
    sizes.forEach((size, symbol) => {
      if (size === length) codes[symbol] = { bits: reverse(next++, length), length }
    })
  }
  return codes
}

function reverse(bits: number, length: number): number {
  let reversed = 0
  for (let at = 0; at < length; at++) reversed |= ((bits >> at) & 1) << (length - 1 - at)
  return reversed
}

function join(codes: readonly Code[]): Code {
  return codes.reduce(
    (whole, { bits, length }) => ({
      bits: whole.bits | (bits << whole.length),
      length: whole.length + length,
    }),
    { bits: 0, length: 0 },
  )
}

/** The symbol of a number and its extra bits. As everywhere in deflate, ranges double every so many symbols. */
function doubling(value: number, stepBits: number): { symbol: number; extra: number; extraBits: number } {
  const extraBits = Math.max(0, Math.floor(Math.log2(value)) - stepBits)
  return { symbol: (extraBits << stepBits) + (value >> extraBits), extra: value & ((1 << extraBits) - 1), extraBits }
}

function lengthCode(length: number) {
  if (length === COPY_MAX) return { symbol: 285, extra: 0, extraBits: 0 }
  const { symbol, ...rest } = doubling(length - 3, 2)
  return { symbol: symbol + 257, ...rest }
}

function distanceCode(distance: number): { symbol: number; rest: Code } {
  const { symbol, extra, extraBits } = doubling(distance - 1, 1)
  return { symbol, rest: { bits: extra, length: extraBits } }
}

/** The order in which the sizes of the size codes are written. */
const SIZE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1]
/** Runs of zeros, and all sizes that occur: eight symbols of three bits. */
const SIZE_SYMBOLS = [0, 1, 2, 4, 5, 6, 17, 18]

function toTable(sizes: readonly number[], distanceSymbol: number): Code[] {
  const distances = [...Array.from({ length: distanceSymbol }, () => 0), 1]
  const ofSizes: number[] = []
  for (const symbol of SIZE_SYMBOLS) ofSizes[symbol] = 3
  const codes = toCodes(Array.from({ length: 19 }, (_, symbol) => ofSizes[symbol] ?? 0))
  const table: Code[] = [
    { bits: 0b101, length: 3 },
    { bits: sizes.length - 257, length: 5 },
    { bits: distances.length - 1, length: 5 },
    { bits: SIZE_ORDER.length - 4, length: 4 },
    ...SIZE_ORDER.map((symbol) => ({ bits: ofSizes[symbol] ?? 0, length: 3 })),
  ]
  const all = [...sizes, ...distances]
  for (let at = 0; at < all.length;) {
    let zeros = 0
    while (all[at + zeros] === 0 && zeros < 138) zeros++
    if (zeros >= 11) table.push(codes[18]!, { bits: zeros - 11, length: 7 })
    else if (zeros >= 3) table.push(codes[17]!, { bits: zeros - 3, length: 3 })
    else table.push(codes[all[at]!]!)
    at += zeros >= 3 ? zeros : 1
  }
  return table
}
