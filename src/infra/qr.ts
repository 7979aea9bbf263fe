import { crc32, deflateSync } from 'node:zlib'
import { encode } from 'uqr'
import type { QrOutline } from '../kernel/ports.ts'

const MODULE_PIXELS = 6
const QUIET_MODULES = 4
/** Every reader takes every mask; to look for the best of the eight costs more than all the rest. */
const MASK = 3

/** A QR code as the outline of its dark modules, for a drawing `size` units wide, quiet zone included. */
export function qrOutline(text: string): QrOutline {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_MODULES, maskPattern: MASK })
  let path = ''
  for (const [y, row] of data.entries()) {
    for (let x = 0; x < size; x++) {
      if (!row[x]) continue
      const start = x
      while (row[x + 1]) x++
      path += `M${start} ${y}h${x - start + 1}v1h-${x - start + 1}z`
    }
  }
  return { size, path }
}

/** A QR code as a picture that stands in an answer by itself: a data URI of a black and white PNG. */
export function qrPng(text: string): string {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_MODULES, maskPattern: MASK })
  return `data:image/png;base64,${toPng(data, size).toString('base64')}`
}

/** One bit a pixel: a code is a kilobyte, where a general encoder makes four. */
function toPng(modules: readonly (readonly boolean[])[], size: number): Buffer {
  const width = size * MODULE_PIXELS
  const bytesPerRow = Math.ceil(width / 8) + 1
  const rows = Buffer.alloc(width * bytesPerRow)
  for (const [y, row] of modules.entries()) {
    const start = y * MODULE_PIXELS * bytesPerRow
    for (let x = 0; x < width; x++) {
      // In a PNG of one bit a pixel, 1 is white.
      if (!row[Math.floor(x / MODULE_PIXELS)]) rows[start + 1 + (x >> 3)]! |= 0x80 >> (x & 7)
    }
    // The other lines of a row of modules are the same.
    for (let line = 1; line < MODULE_PIXELS; line++) {
      rows.copyWithin(start + line * bytesPerRow, start, start + bytesPerRow)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(width, 4)
  header[8] = 1
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    signature,
    toChunk('IHDR', header),
    toChunk('IDAT', deflateSync(rows, { level: 9 })),
    toChunk('IEND', Buffer.alloc(0)),
  ])
}

function toChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return chunk
}
