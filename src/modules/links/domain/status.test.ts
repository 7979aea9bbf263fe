import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PaymentLink } from '../payment-link.ts'
import { leftOf, statusOf } from './status.ts'

const NOW = 1_000
const LINK = { isPaused: false, endsAt: null, soldMax: null, sold: 0, held: 0, quantityMin: 1 } as PaymentLink

test('a link is closed by its merchant, by its end, or by what is left; the first of these is reported', () => {
  const statuses: [Partial<PaymentLink>, string][] = [
    [{}, 'active'],
    [{ isPaused: true, endsAt: NOW, soldMax: 0 }, 'paused'],
    [{ endsAt: NOW, soldMax: 0 }, 'ended'],
    [{ endsAt: NOW + 1 }, 'active'],
    [{ soldMax: 3, sold: 1, held: 1 }, 'active'],
    [{ soldMax: 3, sold: 2, held: 1 }, 'sold_out'],
    // Two are left, and nobody may take fewer than three.
    [{ soldMax: 3, sold: 1, quantityMin: 3 }, 'sold_out'],
  ]
  for (const [terms, status] of statuses)
    assert.equal(statusOf({ ...LINK, ...terms }, NOW), status, JSON.stringify(terms))
})

test('more than there was may have been sold by the merchant’s word: then nothing is left, not less', () => {
  assert.equal(leftOf({ ...LINK, soldMax: 3, sold: 4 }), 0)
  assert.equal(leftOf(LINK), undefined)
})
