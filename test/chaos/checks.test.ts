import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareFetched } from './check-claims.ts'
import { fatesOf } from './check-lapses.ts'
import { comparePurchases } from './check-purchases.ts'
import { compareArrived } from './check-refunds.ts'

const arrived = new Map([
  ['A', 1n],
  ['B', 2n],
])

test('a refund that is not on the ledger, and one that went out twice, are told', () => {
  const due = [
    { id: 'good', hash: 'A', amount_raw: '1' },
    { id: 'gone', hash: 'C', amount_raw: '1' },
    { id: 'unsigned', hash: null, amount_raw: '1' },
  ]
  assert.deepEqual(compareArrived(arrived, due), [
    'refund gone is not on the ledger as C',
    'refund unsigned is not on the ledger as null',
    'a payer got 2 raw back by B, which is no refund',
  ])
})

test('a share of another amount, and one that was paid twice, are told', () => {
  assert.deepEqual(compareFetched(arrived, [{ of: 'rfd_1', hash: 'A', amountRaw: 3n }]), [
    'the share of rfd_1 is not on the ledger as A',
    'a claimant got 2 raw by B, which is no share',
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
