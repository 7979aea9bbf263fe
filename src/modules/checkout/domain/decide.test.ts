import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toRaw } from '../../../kernel/money.ts'
import type { CheckoutStatus } from '../record.ts'
import { type Standing, decide } from './decide.ts'

const STATUSES: CheckoutStatus[] = ['pending', 'detected', 'partial', 'complete', 'expired', 'cancelled']
const END = 1_000
const due = (raw: bigint) => [{ plan: undefined, enoughRaw: raw, fullRaw: toRaw(raw) }]
const exact = (status: CheckoutStatus): Standing => ({
  sums: false,
  status,
  additional: 'none',
  paidRaw: 0n,
  dues: [],
  takesLate: false,
  expiresAt: END,
})
const summing = (status: CheckoutStatus, paidRaw: bigint, dueRaw: bigint): Standing => ({
  ...exact(status),
  sums: true,
  paidRaw,
  dues: due(dueRaw),
})
const inTime = { amountRaw: 10n, at: END, worthIt: true }

test('complete is never left, whatever arrives', () => {
  for (const standing of [exact('complete'), summing('complete', 10n, 10n)]) {
    for (const at of [0, END, END + 1]) {
      const decision = decide(standing, { ...inTime, at })
      assert.deepEqual([decision.kind, ...pick(decision)], ['counted', 'complete', 'overpaid', 'payment.late'])
    }
  }
})

test('sales of the service are decided block by block, and further money is a gift', () => {
  const sold = decide({ ...exact('complete'), takesLate: true }, inTime)
  assert.deepEqual([sold.kind, ...pick(sold)], ['unmatched', 'complete', 'none', undefined])
  const gift = decide({ ...summing('complete', 10n, 0n), dues: [] }, inTime)
  assert.deepEqual([gift.kind, ...pick(gift)], ['counted', 'complete', 'none', undefined])
})

test('only an open checkout completes by itself, only in time, and while the amount is worth its price', () => {
  for (const status of STATUSES) {
    for (const standing of [exact(status), summing(status, 0n, 10n)]) {
      const open = status === 'pending' || status === 'detected' || status === 'partial'
      assert.equal(decide(standing, inTime).event === 'payment.completed', open, status)
      const late = decide(standing, { ...inTime, at: END + 1 })
      assert.equal(late.status, status)
      if (open) assert.deepEqual([late.kind, late.additional, late.event], ['late', 'paid_late', 'payment.late'])
    }
  }
  const decision = decide(exact('pending'), { ...inTime, worthIt: false })
  assert.deepEqual([decision.kind, decision.status, decision.additional], ['late', 'pending', 'paid_late'])
})

test('sums: too little is partial, enough is complete, more is overpaid, and what is late and too little has no marker', () => {
  assert.deepEqual(pick(decide(summing('pending', 0n, 11n), inTime)), ['partial', 'none', 'payment.partial'])
  assert.deepEqual(pick(decide(summing('partial', 1n, 11n), inTime)), ['complete', 'none', 'payment.completed'])
  assert.deepEqual(pick(decide(summing('partial', 2n, 11n), inTime)), ['complete', 'overpaid', 'payment.completed'])
  assert.deepEqual(pick(decide(summing('complete', 11n, 11n), inTime)), ['complete', 'overpaid', 'payment.late'])
  const late = decide(summing('expired', 0n, 11n), inTime)
  assert.deepEqual([late.kind, ...pick(late)], ['late', 'expired', 'none', undefined])
})

test('sums with plans buy the dearest plan that is paid for, and a merchant who marked a checkout keeps the mark', () => {
  const plans = [5n, 10n, 20n].map((raw, plan) => ({ plan, enoughRaw: raw, fullRaw: toRaw(raw) }))
  const decision = decide({ ...summing('pending', 0n, 0n), dues: plans }, { ...inTime, amountRaw: 12n })
  assert.deepEqual([decision.plan, decision.additional], [1, 'overpaid'])
  const standing = { ...summing('complete', 10n, 10n), additional: 'marked' as const }
  assert.equal(decide(standing, inTime).additional, 'marked')
})

const pick = ({ status, additional, event }: ReturnType<typeof decide>) => [status, additional, event]
