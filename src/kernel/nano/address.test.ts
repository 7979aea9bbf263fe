import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from '../../../test/support/random.ts'
import { BURN_ADDRESS, ZERO_KEY, fromAddress, isAddress, toAddress } from './address.ts'

/** The account of the first block of the live network. */
const GENESIS_ADDRESS = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
const GENESIS_KEY = 'E89208DD038FBB269987689621D52292AE9C35941A7484756ECCED92A65093BA'

test('well-known keys and addresses match, and the largest key keeps all of its bits', () => {
  assert.equal(toAddress(ZERO_KEY), BURN_ADDRESS)
  assert.equal(fromAddress(BURN_ADDRESS), ZERO_KEY)
  assert.equal(toAddress(GENESIS_KEY), GENESIS_ADDRESS)
  assert.equal(fromAddress(GENESIS_ADDRESS), GENESIS_KEY)
  assert.match(toAddress('F'.repeat(64)), /^nano_3z{51}/)
  assert.equal(fromAddress(toAddress('F'.repeat(64))), 'F'.repeat(64))
})

test('every key has one address, and the address gives the key back', () =>
  repeat(500, (random) => {
    const key = random.hex(64)
    const address = toAddress(key)
    assert.match(address, /^nano_[13][13456789abcdefghijkmnopqrstuwxyz]{59}$/)
    assert.equal(fromAddress(address), key)
    assert.equal(toAddress(key.toLowerCase()), address)
  }))

test('the prefixes of the ledger name the same account, and no other prefix does', () => {
  const body = GENESIS_ADDRESS.slice('nano_'.length)
  for (const prefix of ['nano_', 'nano-', 'xrb_', 'xrb-', 'node_']) {
    assert.equal(fromAddress(prefix + body), GENESIS_KEY, prefix)
  }
  const others = ['', '_', 'node-', 'ban_', 'nano', 'xrb', 'nano__', 'nano:', 'NANO_', 'Nano_', ' nano_', 'xno_']
  for (const prefix of others) {
    assert.equal(fromAddress(prefix + body), undefined, prefix)
  }
})

test('every change of a single character is refused', () =>
  repeat(2, (random) => {
    const address = toAddress(random.hex(64))
    // Letters that are not in the alphabet, upper case, and other characters.
    const letters = '13456789abcdefghijkmnopqrstuwxyz02lvAZ_- é\0'
    for (let index = 0; index < address.length; index++) {
      for (const letter of letters) {
        if (letter === address[index]) continue
        const changed = address.slice(0, index) + letter + address.slice(index + 1)
        // With the old separator it is a valid spelling of the same account.
        if (changed.startsWith('nano-')) continue
        assert.equal(fromAddress(changed), undefined, changed)
      }
    }
  }))

test('a swapped, lost or doubled character is refused', () =>
  repeat(20, (random) => {
    const address = toAddress(random.hex(64))
    for (let index = 0; index < address.length; index++) {
      const [before, after] = [address.slice(0, index), address.slice(index + 2)]
      const [letter, next = ''] = address.slice(index)
      assert.ok(!isAddress(before + next + after), 'lost')
      assert.ok(!isAddress(before + letter + letter + next + after), 'doubled')
      if (letter !== next && next !== '') assert.ok(!isAddress(before + next + letter + after), 'swapped')
    }
  }))

test('upper case, blanks around it, foreign text and a first character that says more than 256 bits are no address', () => {
  assert.ok(isAddress(GENESIS_ADDRESS))
  const wrong = [
    '',
    'nano_',
    GENESIS_ADDRESS.toUpperCase(),
    ` ${GENESIS_ADDRESS}`,
    `${GENESIS_ADDRESS} `,
    `${GENESIS_ADDRESS}\n`,
    GENESIS_KEY,
    // A character of two code units must not count as two letters.
    `nano_${'😀'.repeat(30)}`,
    `nano_1${'😀'.repeat(29)}1`,
  ]
  for (const text of wrong) assert.ok(!isAddress(text), JSON.stringify(text))
  const body = GENESIS_ADDRESS.slice('nano_'.length + 1)
  // These letters have the same lowest bit as `3`, so only the padding distinguishes them.
  for (const letter of '579bdfhjmoqsuxz') assert.ok(!isAddress(`nano_${letter}${body}`), letter)
})
