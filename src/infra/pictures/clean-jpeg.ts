import type { SizedPicture } from '../../kernel/ports.ts'
import { BrokenPicture } from './broken-picture.ts'

const MARK = 0xff
const START = 0xd8
const END = 0xd9
const SCAN = 0xda
/** Baseline, extended and progressive; other kinds are shown by no browser. */
const FRAMES = [0xc0, 0xc1, 0xc2]
/** Tables, restart intervals, and the one note that says how colours are meant. Other notes tell about the camera. */
const KEPT = [...FRAMES, 0xc4, 0xdb, 0xdd, 0xee, SCAN]
const ADOBE_BYTES = 14
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7

/** Undefined for what does not say that it is one. The parts that make its pixels, in their order, and nothing behind them. */
export function cleanJpeg(bytes: Buffer): SizedPicture | undefined {
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

/** Where the packed pixels of a scan end: at a marker that is neither a filler nor a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(MARK, from); at !== -1; at = bytes.indexOf(MARK, at + 1)) {
    const marker = bytes.readUInt8(at + 1)
    if (marker !== 0 && marker !== MARK && !isRestart(marker)) return at
  }
  throw new BrokenPicture()
}
