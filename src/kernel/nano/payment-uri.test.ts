import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SeededRandom, repeat } from '../../../test/support/random.ts'
import { RAW_MAX, toRaw } from '../money.ts'
import { toAddress } from './address.ts'
import { type PaymentRequest, toPaymentUri } from './payment-uri.ts'

const ADDRESS = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'

/** Characters with a meaning in links, JSON or HTML, several scripts, and control characters. */
const LETTERS = [
  ...'ab1 +&=?#%/:;@"\'<>\\~!*()[]{}|^`é漢字ß۳',
  '😀',
  '👩‍👩‍👧',
  '\u202E',
  '\0',
  '\n',
  '\r\n',
  '%20',
  '&amount=1',
]

/** What a wallet reads in a payment link. */
function readUri(uri: string): PaymentRequest {
  const { protocol, pathname: address, searchParams } = new URL(uri)
  assert.equal(protocol, 'nano:')
  const { amount, ...texts } = Object.fromEntries(searchParams)
  return { address, ...(amount !== undefined && { amount: toRaw(BigInt(amount)) }), ...texts }
}

function randomText(random: SeededRandom): string {
  return Array.from({ length: random.below(20) }, () => random.pick(LETTERS)).join('')
}

test('a payment request survives its link, with any label and message', () =>
  repeat(500, (random) => {
    const request: PaymentRequest = { address: toAddress(random.hex(64)) }
    if (random.below(4) > 0) request.amount = toRaw(random.bigint(128))
    if (random.below(4) > 0) request.label = randomText(random)
    if (random.below(4) > 0) request.message = randomText(random)
    const uri = toPaymentUri(request)
    // A link must stay one word in mails and QR codes.
    assert.match(uri, /^nano:[!-~]+$/)
    assert.deepEqual(readUri(uri), request)
  }))

test('the link of a request is the one wallets expect', () => {
  assert.equal(toPaymentUri({ address: ADDRESS }), `nano:${ADDRESS}`)
  assert.equal(
    toPaymentUri({ address: ADDRESS, amount: toRaw(10n ** 30n) }),
    `nano:${ADDRESS}?amount=1${'0'.repeat(30)}`,
  )
  assert.equal(
    toPaymentUri({ address: ADDRESS, amount: RAW_MAX, label: 'Fish & Chips', message: 'a+b=ü' }),
    `nano:${ADDRESS}?amount=340282366920938463463374607431768211455&label=Fish%20%26%20Chips&message=a%2Bb%3D%C3%BC`,
  )
})

test('a label cut in the middle of an emoji still gives a link', () => {
  const uri = toPaymentUri({ address: ADDRESS, label: '😀'.slice(0, 1), message: `x${'😀'.slice(1)}` })
  assert.deepEqual(readUri(uri), { address: ADDRESS, label: '\uFFFD', message: 'x\uFFFD' })
})
