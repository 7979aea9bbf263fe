import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareBooks } from './check-market.ts'
import { fatesOf } from './check-lapses.ts'
import { comparePurchases } from './check-purchases.ts'
import { compareArrived } from './check-refunds.ts'
import { compareSends } from './compare-ledger.ts'

const arrived = new Map([
  ['A', 1n],
  ['B', 2n],
])

test('a refund or a share that is not on the ledger, is of another amount, or went out twice is reported', () => {
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

test('answers without payment, payments without answer, and unsigned payments are reported', () => {
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

test('a payment on the ledger before the end counts, one after a reported end is late, and in between both are allowed', () => {
  const lapse = { address: '', amountRaw: 1n, mode: '', notify: false, endsAt: 100, wasOver: false }
  const paid = { ...lapse, paidBy: 'A' }
  assert.deepEqual(fatesOf({ ...lapse, paidBy: undefined, paidAt: undefined }), ['unpaid'])
  assert.deepEqual(fatesOf({ ...paid, paidAt: 100 }), ['paid'])
  assert.deepEqual(fatesOf({ ...paid, paidAt: 101 }), ['paid', 'late'])
  assert.deepEqual(fatesOf({ ...paid, paidAt: 101, wasOver: true }), ['late'])
})

test('a send by a key whose right was taken away is reported, also where nobody was answered', () => {
  const late = { key: 'late', hash: undefined, mustNotLeave: true }
  const sends = [
    { ...late, amountRaw: 1n },
    { ...late, key: 'refused', amountRaw: 3n },
    { key: 'before', hash: 'B', amountRaw: 2n },
  ]
  assert.deepEqual(compareSends(arrived, sends), ['send late has left after its right was taken away'])
})

test('credits without a payment, for another sale, and refunds above the payment are reported', () => {
  const sale = { way: 'till', address: '', amountRaw: 5n, paidRaw: 5n }
  const sales = ['one', 'two', 'three'].map((id) => ({ ...sale, id }))
  const payment = { to: '', amountRaw: 5n }
  const marketPayments = [
    { ...payment, hash: 'A', saleId: 'one' },
    { ...payment, hash: 'B', saleId: undefined },
    { ...payment, hash: 'C', saleId: undefined },
  ]
  const row = { kind: 'counted', amount_raw: '5' }
  const rows = [
    { ...row, block_hash: 'A', checkout_id: 'one' },
    { ...row, block_hash: 'B', checkout_id: 'two' },
    { ...row, block_hash: 'C', checkout_id: null, kind: 'unmatched' },
    { ...row, block_hash: 'FORWARD', checkout_id: null, kind: 'unmatched' },
  ]
  const checkouts = [
    { id: 'one', status: 'complete', paid_raw: '5' },
    { id: 'two', status: 'complete', paid_raw: '5' },
    { id: 'three', status: 'complete', paid_raw: '0' },
  ]
  const refund = { checkout_id: 'one', amount_raw: '5' }
  const refunds = [
    { ...refund, id: 'first', status: 'sent' },
    { ...refund, id: 'declined', status: 'failed' },
    { ...refund, id: 'second', status: 'claimed' },
  ]
  assert.deepEqual(compareBooks({ rows, checkouts, refunds }, { sales, marketPayments }), [
    'payment B was meant for nothing and is counted for two',
    'FORWARD stands in the books as unmatched of null, and no customer has sent it',
    'sale one was paid 5 raw and gave back 10',
    'sale three is complete, and nobody has paid it',
  ])
})
