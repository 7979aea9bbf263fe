import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from '../../../../test/support/random.ts'
import type { Raw } from '../../../kernel/money.ts'
import { splitShares } from './shares.ts'

const people = (count: number) => Array.from({ length: count }, (_, at) => `nano_${at}`)

test('what a wallet shares out at its end is all it holds, to the raw, in parts that differ by the remainder alone', async () => {
  await repeat(500, (random) => {
    const count = 1 + random.below(10)
    const total = random.bigint(128) as Raw
    const shares = splitShares(total, people(count))
    const sum = shares.reduce((sum, { amount }) => sum + amount, 0n)
    assert.equal(sum, total)
    const each = total / BigInt(count)
    for (const { amount, destination } of shares) {
      if (destination !== `nano_${count - 1}`) assert.equal(amount, each)
    }
  })
})

test('there are no empty sends: what cannot be divided goes to the last recipient', () => {
  assert.deepEqual(splitShares(2n as Raw, people(3)), [{ destination: 'nano_2', amount: 2n }])
  assert.deepEqual(splitShares(0n as Raw, people(3)), [])
  assert.deepEqual(splitShares(5n as Raw, []), [])
})
