import assert from 'node:assert/strict'
import { inflateSync } from 'node:zlib'

/* Reads a QR code independently of the code that draws it. It does not correct errors, because there are none. */

type Modules = readonly (readonly boolean[])[]

/** By version, for level M: check bytes of a block, and data bytes of each block. */
const BLOCKS: Readonly<Record<number, [check: number, ...data: number[]]>> = {
  1: [10, 16],
  2: [16, 28],
  3: [26, 44],
  4: [18, 32, 32],
  5: [24, 43, 43],
  6: [16, 27, 27, 27, 27],
  7: [18, 31, 31, 31, 31],
  8: [22, 38, 38, 39, 39],
  9: [22, 36, 36, 36, 37, 37],
}
const LEVEL_M = 0
const BYTES = 4

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/** The text of a QR code in a PNG data URI. */
export function readQr(dataUri: string): string {
  const [, base64] = /^data:image\/png;base64,([A-Za-z0-9+/]+={0,2})$/.exec(dataUri) ?? []
  assert.ok(base64 !== undefined, dataUri.slice(0, 40))
  const modules = toModules(toPixels(Buffer.from(base64, 'base64')))
  const version = (modules.length - 17) / 4
  const blocks = BLOCKS[version]
  assert.ok(blocks, `version ${version}`)
  const data = joinBlocks(readBytes(modules, version), blocks)
  assert.equal(data[0]! >> 4, BYTES)
  const bits = Buffer.from(data)
  const length = (bits.readUInt16BE(0) >> 4) & 0xff
  const text = Uint8Array.from({ length }, (_, at) => (bits.readUInt16BE(at + 1) >> 4) & 0xff)
  return Buffer.from(text).toString()
}

/** True is dark. Supports one bit per pixel and the two row filters that our encoder uses. */
export function toPixels(png: Buffer): boolean[][] {
  assert.equal(png.toString('latin1', 1, 4), 'PNG')
  const [width, height, depth] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24]]
  assert.deepEqual([depth, width], [1, height])
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) !== 'IDAT') continue
    parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  const rows = inflateSync(Buffer.concat(parts))
  const stride = Math.ceil(width / 8) + 1
  assert.equal(rows.length, height * stride)
  return Array.from({ length: height }, (_, y) => {
    const [row, above] = [rows.subarray(y * stride, (y + 1) * stride), rows.subarray((y - 1) * stride, y * stride)]
    if (row[0] === 2) above.forEach((byte, at) => (row[at] = at === 0 ? 0 : (row[at]! + byte) & 0xff))
    assert.equal(row[0], 0)
    return Array.from({ length: width }, (_, x) => ((rows[y * stride + 1 + (x >> 3)]! >> (7 - (x & 7))) & 1) === 0)
  })
}

/** The first dark run is the edge of a finder pattern, seven modules long. */
function toModules(pixels: boolean[][]): Modules {
  const top = pixels.findIndex((row) => row.includes(true))
  const left = pixels[top]!.indexOf(true)
  const unit = (pixels[top]!.indexOf(false, left) - left) / 7
  assert.ok(left >= 4 * unit && top >= 4 * unit, 'a quiet zone of four modules')
  const size = (pixels.length - 2 * top) / unit
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => pixels[top + y * unit]![left + x * unit]!),
  )
}

function readBytes(modules: Modules, version: number): number[] {
  const size = modules.length
  const at = (x: number, y: number) => (modules[y]![x] ? 1 : 0)
  let format = 0
  for (let bit = 0; bit < 15; bit++) {
    const [x, y] = bit < 6 ? [8, bit] : bit < 8 ? [8, bit + 1] : bit === 8 ? [7, 8] : [14 - bit, 8]
    format |= at(x, y) << bit
  }
  format ^= 0x5412
  assert.equal(format >> 13, LEVEL_M)
  const mask = MASKS[(format >> 10) & 7]!
  const isFixed = fixedModules(size, version)
  const bits: number[] = []
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    const upward = ((right + 1) & 2) === 0
    for (let step = 0; step < size; step++) {
      const y = upward ? size - 1 - step : step
      for (const x of [right, right - 1]) if (!isFixed(x, y)) bits.push(at(x, y) ^ (mask(x, y) ? 1 : 0))
    }
  }
  return Array.from({ length: bits.length >> 3 }, (_, byte) => parseInt(bits.slice(byte * 8, byte * 8 + 8).join(''), 2))
}

/** Finder, timing, alignment and version modules, which carry no data. */
function fixedModules(size: number, version: number): (x: number, y: number) => boolean {
  const last = size - 7
  const centres = version === 1 ? [] : version < 7 ? [6, last] : [6, (6 + last) / 2, last]
  const isCorner = (x: number, y: number) => (x < 9 && y < 9) || (x < 9 && y >= size - 8) || (x >= size - 8 && y < 9)
  const isAligned = (x: number, y: number) =>
    centres.some((cx) =>
      centres.some((cy) => {
        const isFinder = (cx === 6 && cy === 6) || (cx === 6 && cy === last) || (cx === last && cy === 6)
        return !isFinder && Math.abs(x - cx) <= 2 && Math.abs(y - cy) <= 2
      }),
    )
  const isVersion = (x: number, y: number) => version >= 7 && x >= size - 11 && y < 6
  return (x, y) => isCorner(x, y) || x === 6 || y === 6 || isAligned(x, y) || isVersion(x, y) || isVersion(y, x)
}

/** Bytes of the blocks are interleaved, longer blocks last, followed by the check bytes. */
function joinBlocks(bytes: number[], [check, ...lengths]: [check: number, ...data: number[]]): number[] {
  const total = lengths.reduce((sum, length) => sum + length + check, 0)
  assert.equal(bytes.length, total, 'as many bytes as the version holds')
  const blocks: number[][] = lengths.map(() => [])
  let next = 0
  for (let at = 0; at < Math.max(...lengths); at++) {
    for (const [block, length] of lengths.entries()) if (at < length) blocks[block]!.push(bytes[next++]!)
  }
  return blocks.flat()
}
