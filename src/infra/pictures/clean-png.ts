import { promisify } from 'node:util'
import { crc32, deflate, inflate } from 'node:zlib'
import type { SizedPicture } from '../../kernel/ports.ts'
import { BrokenPicture, WrongSide } from './broken-picture.ts'

/** Both beside the event loop: a picture may have millions of pixels. */
/** Not as small as can be: with pixels that were chosen for it, the last percents take ten times as long. */
const pack = promisify<Buffer, Buffer>(deflate)
const inflateAll = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate)
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** Which depths go with a kind of colour, and how many samples a pixel has. */
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

/** Undefined for what does not say that it is one. Its pixels are unpacked, counted, and packed again. */
export async function cleanPng(bytes: Buffer, sideMax: number): Promise<SizedPicture | undefined> {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined
  const chunks = readChunks(bytes)
  const [header] = chunks
  if (header?.type !== 'IHDR' || header.data.length !== 13 || chunks.at(-1)?.type !== 'IEND') throw new BrokenPicture()
  const width = header.data.readUInt32BE(0)
  const height = header.data.readUInt32BE(4)
  const [depth, colour, compression, filter, interlace] = header.data.subarray(8) as unknown as number[]
  const kind = KINDS[colour!]
  if (!kind?.depths.includes(depth!) || compression !== 0 || filter !== 0 || interlace! > 1) throw new BrokenPicture()
  // Before anything is unpacked: a few bytes may say that they are gigabytes.
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
  return { type: 'image/png', width, height, bytes: Buffer.concat([SIGNATURE, ...kept.map(writeChunk)]) }
}

interface Chunk {
  type: string
  data: Buffer
}

function readChunks(bytes: Buffer): Chunk[] {
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

function writeChunk({ type, data }: Chunk): Buffer {
  const chunk = Buffer.alloc(data.length + 12)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  data.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, data.length + 8)), data.length + 8)
  return chunk
}

/** How many bytes each row has, with the one that names its filter. */
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
