import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from 'uqr'
import { SEED, SeededRandom } from '../../../test/support/random.ts'
import { readQr, toPixels } from '../../../test/support/read-qr.ts'
import { qrOutline, qrPng, toPng } from './png.ts'
import { toModules } from './modules.ts'

const LENGTH_MAX = 2_331
const LINK =
  'nano:nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8?amount=1503241000000000000000000000000'

const drawnByOthers = (text: string) => encode(text, { ecc: 'M', border: 0, maskPattern: 3 })

const toRows = ({ size, dark }: ReturnType<typeof toModules>) =>
  Array.from({ length: size }, (_, y) => Array.from({ length: size }, (_, x) => dark[y * size + x] === 1))

test(`every version has the modules that another encoder draws, also of letters beyond ASCII (seed ${SEED})`, () => {
  const random = new SeededRandom(SEED)
  const lengths = [1, 14, 15, 62, 106, 110, 180, 181, 213, 214, LENGTH_MAX]
  for (let times = 0; times < 20; times++) lengths.push(1 + random.below(LENGTH_MAX))
  for (const length of lengths) {
    const text = `a${Array.from({ length: length - 1 }, () => random.pick('abcxyz019:/?=&_')).join('')}`
    assert.deepEqual(toRows(toModules(text)), drawnByOthers(text).data, `${length} bytes`)
  }
  assert.throws(() => toModules('a'.repeat(LENGTH_MAX + 1)), RangeError)
  assert.deepEqual(toRows(toModules('Grüße, 世界')), drawnByOthers('Grüße, 世界').data)
})

test('a picture of every size is a PNG whose pixels are the modules, six by six, in a quiet zone of four', () => {
  for (let length = 1; length <= LENGTH_MAX; length += 233) {
    const modules = toModules('b'.repeat(length))
    const rows = toRows(modules)
    const pixels = toPixels(toPng(modules))
    assert.equal(pixels.length, (modules.size + 8) * 6)
    pixels.forEach((line, y) =>
      line.forEach((isDark, x) => {
        const expected = rows[Math.floor(y / 6) - 4]?.[Math.floor(x / 6) - 4] ?? false
        if (isDark !== expected) assert.fail(`${length} bytes: pixel ${x}, ${y}`)
      }),
    )
  }
})

test('a payment link is read back from its picture, which is no larger than two kilobytes', () => {
  const picture = qrPng(LINK)
  assert.equal(readQr(picture), LINK)
  assert.ok(picture.length < 2_048, `${picture.length}`)
})

test('the outline covers the dark modules and nothing else', () => {
  const { size, path } = qrOutline(LINK)
  const { data } = drawnByOthers(LINK)
  assert.equal(size, data.length + 8)
  const covered = new Set<string>()
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let at = 0; at < Number(width); at++) covered.add(`${Number(x) + at - 4} ${Number(y) - 4}`)
  }
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`${x} ${y}`] : [])))
  assert.deepEqual([...covered].sort(), dark.sort())
})
