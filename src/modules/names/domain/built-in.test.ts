import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { NEVER, readBuiltIn } from '../built-in.ts'

const address = 'nano_1111111111111111111111111111111111111111111111111111hifc8npp'

test('the file that comes with the gateway can be read', () => {
  const { aliases } = readBuiltIn(readFileSync(new URL('../known.json', import.meta.url), 'utf8'))
  assert.ok(aliases.length > 0)
})

test('names, aliases and reserved words are read; what has no end ends in the year 9999', () => {
  const built = readBuiltIn(
    JSON.stringify({
      names: [{ name: 'Library', address: address.replace('nano_', 'xrb_'), created: '2026-01-02' }],
      aliases: [{ account: address, alias: 'Burn', exchange: true }],
      reserved: ['acme'],
    }),
  )
  const created = Date.UTC(2026, 0, 2)
  assert.deepEqual(built, {
    names: [{ name: 'Library', address, createdAt: created, expiresAt: NEVER, profile: {} }],
    aliases: [{ account: address, alias: 'Burn', isExchange: true }],
    reserved: ['acme'],
  })
})

test('an error in the file is named', () => {
  const wrong: [string, RegExp][] = [
    ['{', /not JSON/],
    ['[]', /the file must be an object/],
    ['{"names": {}}', /names must be a list/],
    ['{"names": [{"name": "a b", "address": "x"}]}', /names\[0\]\.name must be 1 to 30/],
    ['{"names": [{"name": "ab", "address": "x"}]}', /names\[0\]\.address must be a Nano address/],
    [`{"names": [{"name": "ab", "address": "${address}", "created": "soon"}]}`, /names\[0\]\.created must be a date/],
    [`{"aliases": [{"account": "${address}", "alias": ""}]}`, /aliases\[0\]\.alias must be a text/],
    [`{"aliases": [{"account": "${address}", "alias": "A", "exchange": 1}]}`, /aliases\[0\]\.exchange/],
    ['{"reserved": [7]}', /reserved\[0\] must be/],
  ]
  for (const [text, message] of wrong) assert.throws(() => readBuiltIn(text), message)
})
