import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { wallet } from 'nanocurrency-web'
import { repeat } from '../../../test/support/random.ts'
import { bytesToHex, hexToBytes } from './hex.ts'
import { deriveKey, deriveKeyBytes } from './keys.ts'
import { WORDS } from './word-list.ts'
import { findWrongWord, readWords, toWords } from './words.ts'

test('the list of words is the one of BIP-39, word for word', () => {
  const hash = createHash('sha256')
    .update(`${WORDS.join('\n')}\n`)
    .digest('hex')
  assert.equal(hash, '2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda')
})

test('the words of a seed open the same accounts in another Nano wallet, and come back as the seed', () =>
  repeat(20, (random) => {
    const seed = random.bytes(32)
    const words = toWords(seed)
    const other = wallet.fromLegacyMnemonic(words.join(' '))
    assert.equal(other.seed.toUpperCase(), bytesToHex(seed))
    assert.equal(other.accounts[0]!.privateKey.toUpperCase(), bytesToHex(deriveKeyBytes(seed, 0)))
    // With the numbers beside which they are shown.
    const text = words.map((word, at) => `${String(at + 1).padStart(2)} ${word.toUpperCase()}\n`).join('')
    assert.deepEqual(readWords(text), seed)
    assert.equal(findWrongWord(text, seed), undefined)
    const index = random.below(2 ** 32)
    assert.equal(deriveKey(bytesToHex(seed), index), bytesToHex(deriveKeyBytes(seed, index)))
  }))

// The reference vectors of BIP-39.
test('known seeds have the words that the standard gives them', () => {
  assert.equal(toWords(new Uint8Array(32)).join(' '), `${'abandon '.repeat(23)}art`)
  assert.equal(toWords(new Uint8Array(32).fill(0xff)).join(' '), `${'zoo '.repeat(23)}vote`)
  const seed = hexToBytes('F585C11AEC520DB57DD353C69554B21A89B20FB0650966FA0A9D6F74FD989D8F')
  const words =
    'void come effort suffer camp survey warrior heavy shoot primary clutch crush open amazing screen patrol group space point ten exist slush involve unfold'
  assert.equal(toWords(seed).join(' '), words)
})

test('a wrong word names its position, and no error repeats a word', () => {
  const words = toWords(new Uint8Array(32).fill(7))
  const change = (at: number, word: string) => words.with(at, word).join(' ')
  const failure = (text: string) => {
    try {
      readWords(text)
    } catch (error) {
      return (error as Error).message
    }
    return 'none'
  }
  assert.match(failure(change(6, 'nonsense')), /^Word 7 is not in the list/)
  assert.match(failure(words.slice(1).join(' ')), /24 words; these are 23/)
  const other = WORDS[(WORDS.indexOf(words[23]!) + 1) % WORDS.length]!
  assert.match(failure(change(23, other)), /not all are those of one seed/)
  assert.equal(findWrongWord(change(23, other), new Uint8Array(32).fill(7)), 24)
  for (const text of [change(6, 'nonsense'), change(23, other), words.slice(1).join(' ')]) {
    for (const word of ['nonsense', other, words[0]!]) assert.ok(!failure(text).split(/\W+/).includes(word))
  }
})
