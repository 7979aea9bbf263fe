import { promisify } from 'node:util'
import { crc32, deflate, inflate } from 'node:zlib'
import type { PictureFault, SizedPicture } from '../../kernel/ports.ts'

const SIDE_MIN = 16
const SIDE_MAX = 2_048

/**
 * Writes a new picture from only those parts of an unknown file that make its pixels. Everything else (the place where
 * the photo was taken, scripts after the end, frames of an animation) is dropped. Formats that can contain anything
 * else are refused.
 */
export async function cleanPicture(bytes: Buffer): Promise<SizedPicture | PictureFault> {
  try {
    const cleaned = (await cleanPng(bytes, SIDE_MAX)) ?? cleanJpeg(bytes) ?? cleanWebp(bytes)
    if (!cleaned) return 'not_a_picture'
    const { width, height } = cleaned
    return [width, height].every((side) => side >= SIDE_MIN && side <= SIDE_MAX) ? cleaned : 'wrong_size'
  } catch (error) {
    if (error instanceof WrongSide) return 'wrong_size'
    // Reading past the end means that the file is broken.
    if (error instanceof BrokenPicture || error instanceof RangeError) return 'not_a_picture'
    throw error
  }
}

/**
 * Both run outside of the event loop, because a picture may have millions of pixels. Not the best level: on pixels
 * chosen to be slow, the last few percent would take ten times as long.
 */
const pack = promisify<Buffer, Buffer>(deflate)
const inflateAll = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate)
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** For each kind of colour: the allowed depths, and the samples of a pixel. */
const KINDS: Record<number, { depths: readonly number[]; samples: number }> = {
  0: { depths: [1, 2, 4, 8, 16], samples: 1 },
  2: { depths: [8, 16], samples: 3 },
  3: { depths: [1, 2, 4, 8], samples: 1 },
  4: { depths: [8, 16], samples: 2 },
  6: { depths: [8, 16], samples: 4 },
}
/** First column and row of each pass of an interlaced picture, and the steps between them. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const
const FILTERS = 5

/** Undefined if the file does not begin like a PNG. Pixels are unpacked, counted and packed again. */
async function cleanPng(bytes: Buffer, sideMax: number): Promise<SizedPicture | undefined> {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined
  const chunks = readPngChunks(bytes)
  const [header] = chunks
  if (header?.type !== 'IHDR' || header.data.length !== 13 || chunks.at(-1)?.type !== 'IEND') throw new BrokenPicture()
  const width = header.data.readUInt32BE(0)
  const height = header.data.readUInt32BE(4)
  const [depth, colour, compression, filter, interlace] = header.data.subarray(8) as unknown as number[]
  const kind = KINDS[colour!]
  if (!kind?.depths.includes(depth!) || compression !== 0 || filter !== 0 || interlace! > 1) throw new BrokenPicture()
  // Checked before unpacking, because a few bytes can claim to be gigabytes.
  if (width === 0 || height === 0 || width > sideMax || height > sideMax) throw new WrongSide()
  const only = (type: string) => chunks.filter((chunk) => chunk.type === type)
  const palette = only('PLTE').slice(0, 1)
  if (colour === 3 && (palette.length === 0 || palette[0]!.data.length % 3 !== 0)) throw new BrokenPicture()
  const rows = rowsOf({ width, height, bits: depth! * kind.samples, interlaced: interlace === 1 })
  const pixels = await unpack(Buffer.concat(only('IDAT').map(({ data }) => data)), rows)
  const kept = [
    header,
    ...(colour === 4 || colour === 0 ? [] : palette),
    ...only('tRNS').slice(0, 1),
    { type: 'IDAT', data: await pack(pixels) },
    { type: 'IEND', data: Buffer.alloc(0) },
  ]
  return { type: 'image/png', width, height, bytes: Buffer.concat([SIGNATURE, ...kept.map(writePngChunk)]) }
}

interface Chunk {
  type: string
  data: Buffer
}

function readPngChunks(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  let at = SIGNATURE.length
  while (chunks.at(-1)?.type !== 'IEND') {
    const length = bytes.readUInt32BE(at)
    const end = at + 8 + length
    const named = bytes.subarray(at + 4, end)
    if (named.length !== length + 4 || bytes.readUInt32BE(end) !== crc32(named)) throw new BrokenPicture()
    chunks.push({ type: named.toString('latin1', 0, 4), data: named.subarray(4) })
    at = end + 4
  }
  return chunks
}

function writePngChunk({ type, data }: Chunk): Buffer {
  const chunk = Buffer.alloc(data.length + 12)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  data.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, data.length + 8)), data.length + 8)
  return chunk
}

/** Length of each row in bytes, including the one that names its filter. */
function rowsOf(shape: { width: number; height: number; bits: number; interlaced: boolean }): number[] {
  const { width, height, bits, interlaced } = shape
  const passes = interlaced ? PASSES : ([[0, 0, 1, 1]] as const)
  return passes.flatMap(([x, y, across, down]) => {
    const columns = Math.ceil((width - x) / across)
    const lines = Math.ceil((height - y) / down)
    return columns <= 0 || lines <= 0 ? [] : Array<number>(lines).fill(1 + Math.ceil((columns * bits) / 8))
  })
}

async function unpack(packed: Buffer, rows: readonly number[]): Promise<Buffer> {
  const length = rows.reduce((sum, row) => sum + row, 0)
  let pixels: Buffer
  try {
    pixels = await inflateAll(packed, { maxOutputLength: length })
  } catch (error) {
    throw new BrokenPicture('Its pixels cannot be unpacked.', { cause: error })
  }
  if (pixels.length !== length) throw new BrokenPicture()
  let at = 0
  for (const row of rows) {
    if (pixels[at]! >= FILTERS) throw new BrokenPicture()
    at += row
  }
  return pixels
}

const MARK = 0xff
const START = 0xd8
const END = 0xd9
const SCAN = 0xda
/** Baseline, extended and progressive frames; browsers show no others. */
const FRAMES = [0xc0, 0xc1, 0xc2]
/** Tables, restart intervals, and the one note about how colours are encoded. Other notes describe the camera. */
const KEPT = [...FRAMES, 0xc4, 0xdb, 0xdd, 0xee, SCAN]
const ADOBE_BYTES = 14
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7

/**
 * Undefined if the file does not begin like a JPEG. Keeps the parts that make its pixels, in order, and nothing after
 * them.
 */
function cleanJpeg(bytes: Buffer): SizedPicture | undefined {
  if (bytes[0] !== MARK || bytes[1] !== START) return undefined
  const kept: Buffer[] = [Buffer.from([MARK, START])]
  let size: { width: number; height: number } | undefined
  let scans = 0
  let at = 2
  for (;;) {
    if (bytes.readUInt8(at) !== MARK) throw new BrokenPicture()
    const marker = bytes.readUInt8(at + 1)
    if (marker === END) break
    const length = bytes.readUInt16BE(at + 2)
    let end = at + 2 + length
    if (length < 2 || end > bytes.length) throw new BrokenPicture()
    if (FRAMES.includes(marker)) {
      if (size) throw new BrokenPicture()
      size = readFrame(bytes.subarray(at + 4, end))
    }
    if (marker === SCAN) {
      if (!size) throw new BrokenPicture()
      scans++
      end = endOfScan(bytes, end)
    }
    const isForeign = marker === 0xee && length !== ADOBE_BYTES
    if (KEPT.includes(marker) && !isForeign) kept.push(bytes.subarray(at, end))
    at = end
  }
  if (!size || scans === 0) throw new BrokenPicture()
  return { type: 'image/jpeg', ...size, bytes: Buffer.concat([...kept, Buffer.from([MARK, END])]) }
}

function readFrame(frame: Buffer): { width: number; height: number } {
  const components = frame.readUInt8(5)
  if (frame.readUInt8(0) !== 8 || ![1, 3].includes(components) || frame.length !== 6 + components * 3) {
    throw new BrokenPicture()
  }
  return { height: frame.readUInt16BE(1), width: frame.readUInt16BE(3) }
}

/** The end of a scan's compressed pixels: a marker that is neither padding nor a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(MARK, from); at !== -1; at = bytes.indexOf(MARK, at + 1)) {
    const marker = bytes.readUInt8(at + 1)
    if (marker !== 0 && marker !== MARK && !isRestart(marker)) return at
  }
  throw new BrokenPicture()
}

const HEAD = 12
const LOSSY_START = Buffer.from([0x9d, 0x01, 0x2a])
const LOSSLESS_START = 0x2f
const HAS_ALPHA = 0x10

/**
 * Undefined if the file does not begin like a WebP. Keeps one still picture with transparency; no notes and no
 * animation.
 */
function cleanWebp(bytes: Buffer): SizedPicture | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, HEAD) !== 'WEBP') return undefined
  const chunks = readWebpChunks(bytes)
  const find = (type: string) => chunks.find((chunk) => chunk.type === type)
  if (find('ANIM') || find('ANMF')) throw new BrokenPicture()
  const lossless = find('VP8L')
  const lossy = find('VP8 ')
  const alpha = find('ALPH')
  if (lossless) return toPicture(sizeOfLossless(lossless.data), [lossless])
  if (!lossy) throw new BrokenPicture()
  const size = sizeOfLossy(lossy.data)
  return toPicture(size, alpha ? [extended(size), alpha, lossy] : [lossy])
}

interface Size {
  width: number
  height: number
}

function readWebpChunks(bytes: Buffer): Chunk[] {
  const end = 8 + bytes.readUInt32LE(4)
  if (end > bytes.length) throw new BrokenPicture()
  const chunks: Chunk[] = []
  for (let at = HEAD; at < end;) {
    const length = bytes.readUInt32LE(at + 4)
    const data = bytes.subarray(at + 8, at + 8 + length)
    if (data.length !== length || at + 8 + length > end) throw new BrokenPicture()
    chunks.push({ type: bytes.toString('latin1', at, at + 4), data })
    at += 8 + length + (length % 2)
  }
  return chunks
}

function sizeOfLossy(data: Buffer): Size {
  const isKeyFrame = (data.readUInt8(0) & 1) === 0
  if (!isKeyFrame || !data.subarray(3, 6).equals(LOSSY_START)) throw new BrokenPicture()
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff }
}

function sizeOfLossless(data: Buffer): Size {
  if (data.readUInt8(0) !== LOSSLESS_START) throw new BrokenPicture()
  const bits = data.readUInt32LE(1)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** The chunk that says that there is transparency. */
function extended({ width, height }: Size): Chunk {
  const data = Buffer.alloc(10)
  data.writeUInt8(HAS_ALPHA, 0)
  data.writeUIntLE(width - 1, 4, 3)
  data.writeUIntLE(height - 1, 7, 3)
  return { type: 'VP8X', data }
}

function toPicture(size: Size, chunks: readonly Chunk[]): SizedPicture {
  const body = Buffer.concat(chunks.map(writeWebpChunk))
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(body.length + 4, 4)
  return { type: 'image/webp', ...size, bytes: Buffer.concat([head, body]) }
}

function writeWebpChunk({ type, data }: Chunk): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 0, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

/** The content of the file contradicts its format. */
class BrokenPicture extends Error {}

/** The picture is too large; detected before its pixels are unpacked. */
class WrongSide extends Error {}
