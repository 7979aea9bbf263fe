import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHash } from 'node:crypto'
import { toCanonicalJson, toNameChangeMessage } from './name-change.ts'
import { publicKeyOf, signHash, signText, verifyHash, verifyText } from './nano/keys.ts'

test('the same changes are the same text, however they were written down', () => {
  const one = { title: 'Zürich “€”', metadata: { b: [1, 1e21, -0, 'a\n'], a: null }, address: 'nano_1' }
  const other = {
    address: 'nano_1',
    metadata: { a: null, b: [1, 1e21, 0, 'a\n'] },
    title: 'Zürich “€”',
    image: undefined,
  }
  const text = '{"address":"nano_1","metadata":{"a":null,"b":[1,1e+21,0,"a\\n"]},"title":"Zürich “€”"}'
  assert.deepEqual([toCanonicalJson(one), toCanonicalJson(other)], [text, text])
  const digest = createHash('sha256').update(text).digest('hex')
  assert.equal(
    toNameChangeMessage({ name: '@Alice', id: '5C363461A1B2C3D4', changes: one }),
    `nano-gateway update_name alice 5c363461a1b2c3d4 ${digest}`,
  )
})

test('a signed text is never a valid block, and a signed block is never a valid text', () => {
  const key = '9F0E444C69F77A49BD0BE89DB92C38FE713E0963165CCA12FAF5712D7657120F'
  const words = toNameChangeMessage({ name: 'alice', id: '5c363461a1b2c3d4', changes: { title: 'Shop' } })
  const signature = signText(key, words)
  const account = publicKeyOf(key)
  assert.equal(verifyText(account, words, signature), true)
  assert.equal(verifyText(account, words, signature.toLowerCase()), true)
  assert.equal(verifyText(account, `${words} `, signature), false)
  assert.equal(verifyText(publicKeyOf(signature.slice(0, 64)), words, signature), false)
  for (const wrong of ['', 'x', signature.slice(2), `${signature}00`, signature.replace(/^../, '00')]) {
    assert.equal(verifyText(account, words, wrong), false, wrong)
  }
  // Thirty-two characters can be the bytes of a block's hash: nobody may be tricked into signing that.
  const hashLike = 'abcdefghijklmnopqrstuvwxyz012345'
  assert.throws(() => signText(key, hashLike), /32 bytes/)
  assert.equal(verifyText(account, hashLike, signHash(key, Buffer.from(hashLike).toString('hex'))), false)
  assert.equal(verifyHash(account, Buffer.from(words).toString('hex').slice(0, 64), signature), false)
})
