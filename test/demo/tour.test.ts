import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openScreen } from '../../demo/screen.ts'
import { runTour } from '../../demo/tour.ts'

test('the tour goes through every step by itself and shows what was proved', async () => {
  let shown = ''
  // Starting threads takes long, and the development ledger computes work too.
  const env = { WORK_THREADS: '0', WORK_NODES: 'true', PRICE_PROVIDERS: 'sandbox' }
  await runTour(
    openScreen((text) => (shown += text), false),
    env,
  )
  const steps = [...shown.matchAll(/(\d)\/(\d) {2}(.+)/g)].map(([, at, of, title]) => ({ at, of, title }))
  assert.deepEqual(
    steps.map(({ at }) => Number(at)),
    steps.map((_step, at) => at + 1),
  )
  assert.equal(steps.length, Number(steps[0]!.of))
  for (const proof of [
    'The key is shown once',
    'The signature is genuine',
    'each of the three has 0.75 waiting',
    'The name belongs to the address that paid',
    'Her share is on its way',
    'Paid and served: block',
  ]) {
    assert.ok(shown.includes(`✓`) && shown.includes(proof), `${proof}\n${shown}`)
  }
  for (const header of [
    'Authorization: Bearer rpc_sk_',
    'webhook-signature: v1,',
    'Idempotency-Key: payout-17',
    'PAYMENT-REQUIRED: ',
    'PAYMENT-SIGNATURE: ',
    'PAYMENT-RESPONSE: ',
  ]) {
    assert.ok(shown.includes(`\n  ${header}`), `${header} is not shown\n${shown}`)
  }
  const wide = shown.split('\n').filter((line) => line.length > 100)
  assert.deepEqual(wide, [], 'no line breaks in a terminal of a hundred columns')
  assert.doesNotMatch(shown, /\u001B\[/, 'colours only where somebody sees them')
})
