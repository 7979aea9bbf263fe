import assert from 'node:assert/strict'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSecretBox, readSecretKeys } from './secret-key.ts'
import { accountSecretContext } from '../../modules/webhooks/tables.ts'
import { openFolder } from '../../../test/support/folder.ts'
import { testRandom } from '../../../test/support/random.ts'

const HERE = accountSecretContext('acc_1')
const THERE = accountSecretContext('acc_2')
const box = openSecretBox(testRandom.bytes(32), testRandom)

test('an encrypted text opens again, and looks different each time', () => {
  for (const plain of ['', 'whsec_abc', 'Zoë € 支払い', 'x'.repeat(10_000)]) {
    const encrypted = box.encrypt(HERE, plain)
    assert.equal(box.open(HERE, encrypted), plain)
    assert.notEqual(encrypted, box.encrypt(HERE, plain))
    assert.ok(plain === '' || !encrypted.includes(plain))
  }
})

test('a text opens only in its own place, with its own key, and unchanged', () => {
  const encrypted = box.encrypt(HERE, 'whsec_abc')
  assert.throws(() => box.open(THERE, encrypted))
  assert.throws(() => openSecretBox(testRandom.bytes(32), testRandom).open(HERE, encrypted))
  const bytes = Buffer.from(encrypted.slice(3), 'base64')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    assert.throws(() => box.open(HERE, `v1.${changed.toString('base64')}`), `byte ${at}`)
  }
  // A shorter tag is easier to guess.
  for (const cut of [bytes.subarray(0, -1), bytes.subarray(0, -12), bytes.subarray(0, 4)]) {
    assert.throws(() => box.open(HERE, `v1.${cut.toString('base64')}`))
  }
  assert.throws(() => box.open(HERE, encrypted.replace('v1.', 'v2.')))
})

test('the key is made once, for its owner alone; a broken key file is an error, and is not replaced', (t) => {
  const folder = openFolder(t)
  const [key] = readSecretKeys(folder, testRandom)
  assert.equal(key!.length, 32)
  assert.deepEqual(readSecretKeys(folder, testRandom), [key])
  assert.deepEqual(readdirSync(folder), ['secret.key'])
  // Windows has access lists instead of modes; a file there inherits those of its folder.
  if (process.platform !== 'win32') assert.equal(statSync(join(folder, 'secret.key')).mode & 0o777, 0o600)
  writeFileSync(join(folder, 'secret.key'), 'half a k')
  assert.throws(() => readSecretKeys(folder, testRandom), /secret\.key holds no key\. Bring it back/)
  assert.throws(() => readSecretKeys(folder, testRandom))
})

test('a fingerprint is the same for the same text in the same place, and useless without the key', () => {
  assert.equal(box.fingerprint('email', 'a@example.com'), box.fingerprint('email', 'a@example.com'))
  const other = openSecretBox(testRandom.bytes(32), testRandom)
  const prints = [
    box.fingerprint('email', 'a@example.com'),
    box.fingerprint('email', 'b@example.com'),
    box.fingerprint('other', 'a@example.com'),
    other.fingerprint('email', 'a@example.com'),
  ]
  assert.equal(new Set(prints).size, prints.length)
  for (const print of prints) assert.match(print, /^[0-9a-f]{64}$/)
})
