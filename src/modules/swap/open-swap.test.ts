import assert from 'node:assert/strict'
import { test } from 'node:test'
import { another } from '../../../test/support/another.ts'
import { isAddressOf, toCode } from './open-swap.ts'

const NANO = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'
const GOOD = {
  nano: NANO,
  btc: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  eth: '0x52908400098527886E0F7030069857D2E4169EE7',
  doge: 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L',
  ltc: 'LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1',
}

// What is sent to an address of another currency is lost.
test('an address is taken for its own currency and refused for every other', () => {
  for (const [code, address] of Object.entries(GOOD)) {
    for (const other of Object.keys(GOOD)) {
      assert.equal(isAddressOf(other, address), other === code, `${address} as ${other}`)
    }
  }
  assert.equal(isAddressOf('nano', another(NANO)), false, 'a slip of the hand in the last letter')
})

test('an unknown currency accepts any plausible address, and names such as “constructor” accept no more', () => {
  assert.equal(isAddressOf('zec', 't1Hsc1LR8yKnbbe3twRp88p6vFfC5t7DLbs'), true)
  for (const wrong of ['', 'short', 'two words here', 'x'.repeat(129)]) {
    assert.equal(isAddressOf('zec', wrong), false, wrong)
    assert.equal(isAddressOf('constructor', wrong), false, wrong)
  }
})

test('all names of nano are one', () => {
  assert.deepEqual(['XNO', 'xno', 'Nano', 'BTC'].map(toCode), ['nano', 'nano', 'nano', 'btc'])
})
