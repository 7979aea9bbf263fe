import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Raw } from '../../../kernel/money.ts'
import { type IncomingSend, cameAfter, timeOf } from './baseline.ts'

const SINCE = 1_000_000
const send = (changes: Partial<IncomingSend> = {}): IncomingSend => ({
  hash: 'A'.repeat(64),
  from: 'nano_1',
  to: 'nano_3',
  amountRaw: 1n as Raw,
  at: SINCE + 60_000,
  knownAt: SINCE + 60_000,
  receivedAt: null,
  ...changes,
})
const looked = { since: SINCE, look: 3, lookHeight: 7 }

test('blocks that were on the address at the first look, received or not, never count, whatever time is reported', () => {
  assert.equal(cameAfter(send(), 3, looked), false, 'seen by this look')
  assert.equal(cameAfter(send(), 2, looked), false, 'seen by an earlier one')
  assert.equal(cameAfter(send(), 4, looked), true, 'first seen by a later one')
  assert.equal(cameAfter(send({ receivedAt: 7 }), undefined, looked), false, 'received below the height of the look')
  assert.equal(cameAfter(send({ receivedAt: 8 }), undefined, looked), true)
})

test('a payment is not lost because the clock of the instance that found it is a little slow', () => {
  assert.equal(cameAfter(send({ knownAt: SINCE - 500 }), undefined, looked), true)
  assert.equal(cameAfter(send({ knownAt: SINCE - 60_000 }), undefined, looked), false)
})

test('who waits since before there were looks has the time of the node alone, and a send without one is not theirs', () => {
  const before = { since: SINCE, look: null, lookHeight: null }
  assert.equal(cameAfter(send(), undefined, before), true)
  assert.equal(cameAfter(send({ at: SINCE - 60_000 }), undefined, before), false)
  assert.equal(cameAfter(send({ at: 0 }), undefined, before), false)
})

test('a send of a node that keeps no times is as late as it was found, not as early as 1970', () => {
  assert.equal(timeOf(send({ at: 0 })), SINCE + 60_000)
  assert.equal(timeOf(send({ at: SINCE })), SINCE)
})
