import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { PNG, pngChunk } from '../../../test/support/pictures.ts'
import { openLogos } from './pictures.ts'

/* Anybody may upload half a megabyte that unpacks to thirty, so what unpacking and packing costs is limited, however many requests come at once. */

const SIDE = 2_048
const ROW = 1 + SIDE * 8

/**
 * The largest allowed picture, with pixels that the best level compresses slowly: long runs, each with a small change.
 * It is compressed at the default level.
 */
function largest(): Buffer {
  const pixels = Buffer.alloc(SIDE * ROW)
  for (let at = 0, seed = 1; at < pixels.length; at += 251) {
    seed = (seed * 48_271) % 0x7fffffff
    if (at % ROW !== 0) pixels[at] = 1 + (seed % 255)
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(SIDE, 0)
  head.writeUInt32BE(SIDE, 4)
  head.set([16, 6], 8)
  const parts = [pngChunk('IHDR', head), pngChunk('IDAT', deflateSync(pixels)), pngChunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([PNG.subarray(0, 8), ...parts])
}

test('pictures are unpacked one after the other, and not packed at the level that takes five times as long', async () => {
  const files = new Map([
    ['large', largest()],
    ['small', PNG],
  ])
  assert.ok(files.get('large')!.length < 512 * 1024)
  const logos = openLogos({
    findUploaded: async () => undefined,
    outbound: { get: async (url: string) => ({ status: 200, bytes: files.get(url)! }) } as never,
  })
  const order: string[] = []
  const get = async (url: string) => {
    const logo = await logos.get(url)
    order.push(url)
    return logo
  }
  const [large, small] = await Promise.all(['large', 'small'].map(get))
  assert.deepEqual(order, ['large', 'small'])
  assert.equal(typeof small, 'object')
  // The level shows in the bytes; the seconds that it takes depend on the machine.
  assert.ok(typeof large === 'object' && files.get('large')!.equals(large.bytes))
})
