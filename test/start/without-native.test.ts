import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ask } from '../support/gateway.ts'
import { logOf, start } from './process.ts'
import { openFolder } from '../support/folder.ts'

/* The native library is optional: without it the gateway works and logs why it is slower. */

/** Makes the package impossible to load, as if npm had skipped it. */
const MISSING = `
import { registerHooks } from 'node:module'
registerHooks({
  resolve(name, context, next) {
    if (name !== 'sodium-native') return next(name, context)
    throw Object.assign(new Error("Cannot find module 'sodium-native'"), { code: 'MODULE_NOT_FOUND' })
  },
})
`

test('a gateway without the native library starts, signs a payment, and says who computes', async (t) => {
  const DATA_DIR = openFolder(t)
  const hook = join(DATA_DIR, 'missing.mjs')
  writeFileSync(hook, MISSING)
  const gateway = await start(t, { DATA_DIR, NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` })
  assert.match(gateway.said, /Signatures in JavaScript, /)
  const address = 'nano_3i1aq1cchnmbn9x5rsbap8b15akfh7wj7pwskuzi7ahz8oq6cobd99d4r3b7'
  const funded = await ask(`${gateway.url}/developer/fund`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ address, amount: '1' }),
  })
  assert.match(funded.json<{ hash: string }>().hash, /^[0-9A-F]{64}$/, funded.text)
  const told = logOf(await gateway.stop()).find(({ event }) => event === 'curve')
  assert.equal(told?.curve, 'noble')
  assert.match(told.reason!, /sodium-native/)
})
