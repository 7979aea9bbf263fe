import type { SizedPicture } from '../../kernel/ports.ts'
import { BrokenPicture } from './broken-picture.ts'

const HEAD = 12
const LOSSY_START = Buffer.from([0x9d, 0x01, 0x2a])
const LOSSLESS_START = 0x2f
const HAS_ALPHA = 0x10

/** Undefined for what does not say that it is one. One still picture, with its transparency; no notes, no animation. */
export function cleanWebp(bytes: Buffer): SizedPicture | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, HEAD) !== 'WEBP') return undefined
  const chunks = readChunks(bytes)
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

interface Chunk {
  type: string
  data: Buffer
}

interface Size {
  width: number
  height: number
}

function readChunks(bytes: Buffer): Chunk[] {
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

/** What says that transparency follows. */
function extended({ width, height }: Size): Chunk {
  const data = Buffer.alloc(10)
  data.writeUInt8(HAS_ALPHA, 0)
  data.writeUIntLE(width - 1, 4, 3)
  data.writeUIntLE(height - 1, 7, 3)
  return { type: 'VP8X', data }
}

function toPicture(size: Size, chunks: readonly Chunk[]): SizedPicture {
  const body = Buffer.concat(chunks.map(writeChunk))
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(body.length + 4, 4)
  return { type: 'image/webp', ...size, bytes: Buffer.concat([head, body]) }
}

function writeChunk({ type, data }: Chunk): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 0, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}
