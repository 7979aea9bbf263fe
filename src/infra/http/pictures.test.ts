import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { openPictures } from './pictures.ts'

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Pictures of shops, and those of a stranger whose servers never answer. */
function openShop() {
  const asked: string[] = []
  const outbound = {
    check: () => undefined,
    post: () => Promise.reject(new Error('Nothing is posted.')),
    async get(url: string) {
      asked.push(url)
      if (url.includes('slow')) return new Promise<never>(() => undefined)
      return url.includes('shop') ? { status: 200, bytes: PNG } : { status: 404, bytes: undefined }
    },
  }
  const clock = new TestClock()
  return { ...openPictures({ outbound, clock, findUploaded: async () => undefined }), asked, clock }
}

test('pages of shops lost their pictures while a stranger had orders with pictures at servers that never answer', async () => {
  const { find, asked } = openShop()
  for (let at = 0; at < 40; at++) void find(`https://slow-${at}.example/a.png`, 'stranger')
  await Promise.resolve()
  assert.ok(asked.length > 1 && asked.length < 16, `${asked.length}`)
  assert.equal((await find('https://shop.example/a.png', 'shop'))?.type, 'image/png')
})

test('a thousand addresses without a picture push no picture of a shop out of memory', async () => {
  const { find, asked, clock } = openShop()
  const ofShop = () => find('https://shop.example/a.png', 'shop')
  await ofShop()
  for (let at = 0; at < 1_100; at++) assert.equal(await find(`https://gone.example/${at}.png`, 'stranger'), undefined)
  const before = asked.length
  assert.ok(await ofShop())
  assert.equal(await find('https://gone.example/1099.png', 'stranger'), undefined)
  assert.equal(asked.length, before)
  clock.advance(60_000)
  await find('https://gone.example/1099.png', 'stranger')
  assert.equal(asked.length, before + 1)
})
