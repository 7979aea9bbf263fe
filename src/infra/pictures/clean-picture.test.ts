import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { JPEG, PNG, WEBP_LOSSLESS, WEBP_LOSSY, pngChunk } from '../../../test/support/pictures.ts'
import { cleanPicture } from './clean-picture.ts'

/*
 * A logo comes from a server that we do not know and is served from our own origin, so only the pixels of its file may
 * remain.
 */

const SCRIPT = Buffer.from('<script>alert(document.domain)</script>')
const KINDS = [
  ['image/png', PNG],
  ['image/jpeg', JPEG],
  ['image/webp', WEBP_LOSSY],
  ['image/webp', WEBP_LOSSLESS],
] as const

async function clean(bytes: Buffer) {
  const cleaned = await cleanPicture(bytes)
  assert.ok(typeof cleaned !== 'string', String(cleaned))
  return { ...cleaned, bytes: Buffer.from(cleaned.bytes) }
}

/** A grey picture, with any chunks between its header and its end. */
function grey(width: number, height: number, pixels: Buffer, further: Buffer[] = []): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  const parts = [
    pngChunk('IHDR', head),
    ...further,
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([PNG.subarray(0, 8), ...parts])
}

const rows = (width: number, height: number, filter = 0) =>
  Buffer.concat(Array.from({ length: height }, () => Buffer.concat([Buffer.from([filter]), Buffer.alloc(width, 9)])))

test('pictures keep their kind and size, and lose metadata about their maker', async () => {
  for (const [type, bytes] of KINDS) {
    const cleaned = await clean(bytes)
    assert.deepEqual([cleaned.type, cleaned.width, cleaned.height], [type, 20, 16])
    for (const note of ['ICC', 'JFIF', 'Google', 'sRGB', 'pHYs', 'eXIf']) {
      assert.ok(!cleaned.bytes.includes(note), `${type} has ${note}`)
    }
    // A clean picture stays unchanged.
    assert.deepEqual((await clean(cleaned.bytes)).bytes, cleaned.bytes, type)
  }
})

test('a page or a script that hides in a picture is not in ours', async () => {
  for (const [type, bytes] of KINDS) {
    const { bytes: cleaned } = await clean(Buffer.concat([bytes, SCRIPT]))
    assert.ok(!cleaned.includes('script'), `${type}: behind its end`)
  }
  const noted = grey(16, 16, rows(16, 16), [pngChunk('tEXt', SCRIPT)])
  assert.ok(!(await clean(noted)).bytes.includes('script'))
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, SCRIPT.length + 2]), SCRIPT])
  const commented = Buffer.concat([JPEG.subarray(0, 2), comment, JPEG.subarray(2)])
  assert.ok(!(await clean(commented)).bytes.includes('script'))
})

test('a few bytes that unpack to gigabytes are refused before they are unpacked', async () => {
  assert.equal(await cleanPicture(grey(60_000, 60_000, Buffer.alloc(10))), 'wrong_size')
  // More pixels than the header says.
  assert.equal(await cleanPicture(grey(16, 16, Buffer.alloc(50_000_000))), 'not_a_picture')
  assert.equal(await cleanPicture(grey(16, 16, rows(16, 15))), 'not_a_picture')
  assert.equal(await cleanPicture(grey(16, 16, rows(16, 16, 5))), 'not_a_picture', 'a filter that there is not')
})

test('sides of 16 to 2048 pixels fit, and no others', async () => {
  for (const [width, height, fits] of [
    [16, 2_048, true],
    [15, 16, false],
    [16, 2_049, false],
  ] as const) {
    const cleaned = await cleanPicture(grey(width, height, rows(width, height)))
    assert.equal(typeof cleaned !== 'string', fits, `${width} × ${height}`)
  }
})

test('drawings, pages, animations and broken files are no pictures', async () => {
  const wrong = [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
    Buffer.from('<!doctype html><script>alert(1)</script>'),
    Buffer.from('GIF89a'),
    Buffer.alloc(0),
    Buffer.from(WEBP_LOSSY.toString('latin1').replace('ICCP', 'ANIM'), 'latin1'),
  ]
  for (const bytes of wrong) assert.equal(await cleanPicture(bytes), 'not_a_picture', bytes.toString('latin1', 0, 20))
  for (const [type, bytes] of KINDS) {
    for (let length = 12; length < bytes.length - 2; length += 7) {
      assert.equal(await cleanPicture(bytes.subarray(0, length)), 'not_a_picture', `${type} cut at ${length}`)
    }
  }
  for (let at = 8; at < PNG.length; at++) {
    const broken = Buffer.from(PNG)
    broken[at]! ^= 1
    assert.equal(typeof (await cleanPicture(broken)), 'string', `PNG with another byte at ${at}`)
  }
})
