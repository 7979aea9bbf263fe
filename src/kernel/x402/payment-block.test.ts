import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAddress } from '../nano/address.ts'
import { type StateBlock, hashBlock, toBlockJson } from '../nano/block.ts'
import { publicKeyOf, signHash } from '../nano/keys.ts'
import type { Raw } from '../money.ts'
import { workValue } from '../nano/work.ts'
import { checkAccepted, checkRecipient, checkSignatureAndWork, readAmount, readPaymentBlock } from './payment-block.ts'

const PRIVATE = '1'.repeat(64)
const SHOP = 'A'.repeat(64)
const draft: StateBlock = {
  type: 'state',
  account: publicKeyOf(PRIVATE),
  previous: 'B'.repeat(64),
  representative: SHOP,
  balance: 5n as Raw,
  link: SHOP,
  signature: '',
  work: '0123456789abcdef',
}
const block: StateBlock = { ...draft, signature: signHash(PRIVATE, hashBlock(draft)) }
const paid = { scheme: 'exact', network: 'nano:mainnet', amount: '1', asset: 'XNO' }
const terms = { ...paid, payTo: toAddress(SHOP), maxTimeoutSeconds: 60 }

const read = (members: object) => readPaymentBlock({ ...toBlockJson(block), ...members })!

// A payment is identified by its hash, so another spelling of its block must not count as another payment.
test('every spelling of a block has the same identity', () => {
  const json = toBlockJson(block)
  const { link_as_account: _, ...bare } = json
  const lower = { previous: json.previous!.toLowerCase(), link: json.link!.toLowerCase() }
  const spellings = [json, bare, { ...bare, ...lower }, { ...bare, account: json.account!.replace('nano_', 'xrb_') }]
  for (const spelling of [...spellings, { ...bare, balance: '005' }]) {
    assert.equal(readPaymentBlock(spelling)!.hash, hashBlock(block))
    assert.deepEqual(readPaymentBlock(spelling)!.block, block)
  }
})

test('work is looked at before the signature, and both count', () => {
  const value = workValue(block.previous, block.work)
  assert.equal(checkSignatureAndWork(read({}), value), undefined)
  assert.equal(checkSignatureAndWork(read({}), value + 1n), 'invalid_exact_nano_payload_work')
  const forged = { signature: '0'.repeat(128) }
  assert.equal(checkSignatureAndWork(read(forged), value + 1n), 'invalid_exact_nano_payload_work')
  assert.equal(checkSignatureAndWork(read(forged), value), 'invalid_exact_nano_payload_signature')
})

test('the signed link determines the recipient; unsigned fields must agree with it', () => {
  const stranger = toAddress('C'.repeat(64))
  assert.equal(checkRecipient(read({}), terms), undefined)
  assert.equal(checkRecipient(read({ link_as_account: undefined }), terms), undefined)
  const mismatch = 'invalid_exact_nano_payload_recipient_mismatch'
  assert.equal(checkRecipient(read({ link_as_account: stranger }), terms), mismatch)
  assert.equal(checkRecipient(read({ link: 'C'.repeat(64), link_as_account: terms.payTo }), terms), mismatch)
})

test('the payer agreed to these terms, however the address is written', () => {
  assert.equal(checkAccepted({ ...terms, payTo: terms.payTo.replace('nano_', 'xrb_'), extra: {} }, terms), undefined)
  for (const accepted of [undefined, null, [], 'x', {}]) assert.equal(checkAccepted(accepted, terms), 'invalid_scheme')
})

test('an amount is a whole number above zero that exists', () => {
  assert.equal(readAmount('1'), 1n)
  assert.equal(readAmount((2n ** 128n - 1n).toString()), 2n ** 128n - 1n)
  for (const text of ['0', '01', '-1', '1.0', '1e3', '', ' 1', (2n ** 128n).toString(), 1, undefined]) {
    assert.equal(readAmount(text), undefined, String(text))
  }
})
