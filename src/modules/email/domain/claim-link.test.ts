import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { SEED, SeededRandom } from '../../../../test/support/random.ts'
import { createToken, fits, hashToken, readToken } from './claim-link.ts'

const random = new SeededRandom(SEED)

test('a token is read from what people paste, and from nothing that only looks like one', () => {
  const token = createToken(random)
  for (const pasted of [token, `  ${token}\n`, `https://gateway.example/claim#${token}`]) {
    assert.equal(readToken(pasted), token)
  }
  for (const other of ['', token.slice(1), `${token}A`, `${token.slice(1)}+`, `${token}#`, 7, null, [token]]) {
    assert.equal(readToken(other), undefined)
  }
})

test('the stored hash of a token opens nothing, and matches only that token', () => {
  const [one, other] = [createToken(random), createToken(random)]
  const kept = hashToken(one)
  assert.equal(kept.selector + kept.verifier, createHash('sha256').update(one).digest('hex'))
  assert.equal(fits(hashToken(one), kept), true)
  assert.equal(fits(hashToken(other), kept), false)
  assert.equal(readToken(kept.selector + kept.verifier), undefined)
})
