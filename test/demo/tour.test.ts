import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openScreen } from '../../demo/screen.ts'
import { runTour } from '../../demo/tour.ts'

test('the tour goes through every step by itself and shows what was proved', async () => {
  let shown = ''
  // Threads would cost the test their start; the development ledger computes work too.
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
    'It is shown once',
    'The signature is genuine: v1,',
    'each of the three has 0.75 waiting',
    'It belongs to the address that paid',
    'Her share is on its way',
    'Paid and served: block',
  ]) {
    assert.ok(shown.includes(`✓`) && shown.includes(proof), `${proof}\n${shown}`)
  }
  assert.doesNotMatch(shown, /\u001B\[/, 'colours only where somebody sees them')
})
