import assert from 'node:assert/strict'
import { test } from 'node:test'
import { payerWallets, walletsFor } from './payer-wallets.ts'
import { BadSetting } from './setting.ts'

const LISTED =
  'Sun ios+android https://sun.example, Moon ios https://moon.example, Two Words desktop https://two.example/a, Any https://any.example'

test('a payer without a wallet is named two that run on their own device', () => {
  const wallets = payerWallets(LISTED)
  const named = (agent?: string) => walletsFor(wallets, agent).map(({ name }) => name)
  assert.deepEqual(named('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)'), ['Sun', 'Moon'])
  assert.deepEqual(named('Mozilla/5.0 (Linux; Android 15; Pixel 9)'), ['Sun', 'Any'])
  assert.deepEqual(named('Mozilla/5.0 (X11; Linux x86_64)'), ['Two Words', 'Any'])
  assert.deepEqual(named(), ['Two Words', 'Any'])
  assert.deepEqual(payerWallets(''), [])
})

test('a list that an operator mistyped is refused at the start', () => {
  for (const wrong of [
    'Sun',
    'Sun http://sun.example',
    'Sun phone https://sun.example',
    'Sun ios+phone https://sun.example',
    'Sun javascript:alert(1)',
  ])
    assert.throws(() => payerWallets(wrong), BadSetting, wrong)
})
