import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currencyOf, showDigits, showLeft, showMoney, showWorth } from './formats.ts'

// A payer who types the shown amount must pay exactly what is asked for.
test('every digit of an amount is shown, in the digits and signs of the reader', () => {
  const raw = 1_234_000000000000000000000000000001n
  assert.equal(showDigits('en', raw), '1,234.000000000000000000000000000001')
  assert.equal(showDigits('de', raw), '1.234,000000000000000000000000000001')
  assert.equal(showDigits('ja', 10n ** 30n), '1')
  assert.equal(showDigits('en', 340_282_366n * 10n ** 30n + 1n), '340,282,366.000000000000000000000000000001')
})

test('a price is written as such money is, and never rounded', () => {
  assert.equal(showMoney('en', '19.9', 'USD'), '$19.90')
  assert.equal(showMoney('en', '0.00012345', 'USD'), '$0.00012345')
  assert.equal(showMoney('ja', '1500', 'JPY'), '￥1,500')
  assert.equal(showMoney('en', '5', 'not a code'), '5 not a code')
  assert.equal(showWorth('en', '0.00012345', 'USD'), '$0.00012')
  assert.equal(showWorth('en', '12.3456', 'USD'), '$12.35')
})

test('the region determines the currency; a currency without a price is not shown', () => {
  const known = ['USD', 'EUR', 'GBP', 'BRL', 'JPY']
  const cases = { 'de-DE': 'EUR', 'en-GB': 'GBP', pt: 'BRL', 'pt-PT': 'EUR', ja: 'JPY', 'zh-CN': 'USD', en: 'USD' }
  for (const [locale, currency] of Object.entries(cases)) assert.equal(currencyOf(locale, known), currency, locale)
  assert.equal(currencyOf('en', []), undefined)
})

test('the remaining time is shown in a fitting unit', () => {
  assert.equal(showLeft('en', 86_400_000), '24 hours')
  assert.equal(showLeft('en', 86_400_000 - 5_000), '24 hours')
  assert.equal(showLeft('en', 90_000), '2 minutes')
  assert.equal(showLeft('de', 3 * 86_400_000), '3 Tage')
  assert.equal(showLeft('en', -5), '0 minutes')
})
