import { crc32, deflateSync } from 'node:zlib'
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
/** Filters of PNG: bytes as they are, and their difference to the line above. */
const [AS_IS, AS_ABOVE] = [0, 2]
/** Eight pixels. */
const WHITE = 0xff

/** A picture with one bit for each pixel. Five of the six lines of a module equal the line above, so there is little to compress. */
export function toPng({ size, dark }: QrModules): Buffer {
  const width = (size + 2 * QUIET_MODULES) * MODULE_PIXELS
  const bytes = 1 + Math.ceil(width / 8)
  const lines = new Uint8Array(width * bytes)
  for (let line = 0, at = 0; line < width; line++, at += bytes) {
    if (line % MODULE_PIXELS > 0) {
      lines[at] = AS_ABOVE
      continue
    }
    lines[at] = AS_IS
    lines.fill(WHITE, at + 1, at + bytes)
    const y = line / MODULE_PIXELS - QUIET_MODULES
    if (y < 0 || y >= size) continue
    for (let x = 0; x < size; x++) {
      if (dark[y * size + x] === 0) continue
      const from = (x + QUIET_MODULES) * MODULE_PIXELS
      const pixels = 0b11111100_00000000 >> (from % 8)
      const byte = at + 1 + (from >> 3)
      lines[byte]! &= ~(pixels >> 8)
      lines[byte + 1]! &= ~pixels
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(width, 4)
  header[8] = 1
  const data = deflateSync(lines, { level: 1 })
  return Buffer.concat([SIGNATURE, toChunk('IHDR', header), toChunk('IDAT', data), toChunk('IEND')])
}

function toChunk(name: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const chunk = Buffer.alloc(12 + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(name, 4, 'latin1')
  chunk.set(data, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), 8 + data.length)
  return chunk
}
