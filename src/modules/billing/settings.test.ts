import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNano } from '../../kernel/money.ts'
import { BadSetting } from '../../kernel/setting.ts'
import { BILLING_SETTINGS } from './settings.ts'

const { read } = BILLING_SETTINGS.creditPlans

test('credits cost exactly what their setting says', () => {
  assert.deepEqual(read('1000=0.2, 10000=2'), [
    { credits: 1_000, price: parseNano('0.2') },
    { credits: 10_000, price: parseNano('2') },
  ])
})

test('plans that would sell nothing, or for nothing, stop the start', () => {
  const many = Array.from({ length: 21 }, (_, at) => `${at + 1}=1`).join(', ')
  for (const wrong of ['', '0=1', '1.5=1', '1000', '1000=', '1000=0', '1000=-1', '1000000001=1', many]) {
    assert.throws(() => read(wrong), BadSetting, wrong)
  }
})
