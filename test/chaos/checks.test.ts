import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fatesOf } from './check-lapses.ts'
import { comparePurchases } from './check-purchases.ts'
import { compareArrived } from './check-refunds.ts'

const arrived = new Map([
  ['A', 1n],
  ['B', 2n],
])

test('a refund or a share that is not on the ledger, is of another amount, or went out twice is told', () => {
  const due = [
    { what: 'refund good', hash: 'A', amountRaw: 1n },
    { what: 'refund gone', hash: 'C', amountRaw: 1n },
    { what: 'refund unsigned', hash: null, amountRaw: 1n },
  ]
  assert.deepEqual(compareArrived(arrived, due, 'refund'), [
    'refund gone is not on the ledger as C',
    'refund unsigned is not on the ledger as null',
    'somebody got 2 raw by B, which is no refund',
  ])
  assert.deepEqual(compareArrived(arrived, [{ what: 'the share of rfd_1', hash: 'A', amountRaw: 3n }], 'share'), [
    'the share of rfd_1 is not on the ledger as A',
    'somebody got 2 raw by B, which is no share',
  ])
})

test('an answer that is not paid, a payment that is not answered, and one that nobody signed are told', () => {
  const purchases = [
    { hash: 'A', amountRaw: 1n, answer: undefined },
    { hash: 'C', amountRaw: 1n, answer: '{}' },
    { hash: 'D', amountRaw: 1n, answer: undefined },
  ]
  assert.deepEqual(comparePurchases(arrived, purchases), [
    'A has paid for a request that nobody answered',
    'a request was answered that C has not paid',
    'the seller got 2 raw by B, which no agent has signed',
  ])
})

test('what the ledger had before the end is paid, what came after a told end is late, and in between it may be either', () => {
  const lapse = { address: '', amountRaw: 1n, mode: '', notify: false, endsAt: 100, wasOver: false }
  const paid = { ...lapse, paidBy: 'A' }
  assert.deepEqual(fatesOf({ ...lapse, paidBy: undefined, paidAt: undefined }), ['unpaid'])
  assert.deepEqual(fatesOf({ ...paid, paidAt: 100 }), ['paid'])
  assert.deepEqual(fatesOf({ ...paid, paidAt: 101 }), ['paid', 'late'])
  assert.deepEqual(fatesOf({ ...paid, paidAt: 101, wasOver: true }), ['late'])
})
