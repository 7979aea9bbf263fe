import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCheckout } from './wire-fields.ts'

const rules = { currencies: ['NANO'], plainHttpAllowed: false }
const read = (fields: object) =>
  readCheckout(
    { address: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo', amount: '1', ...fields },
    rules,
  )

test('a title that is an object is refused by its name, and one that is a number is read', () => {
  for (const title of [{ text: 'Coffee' }, ['Coffee'], true]) {
    assert.throws(() => read({ title }), { code: 'invalid_request', body: { field: 'title' } })
  }
  assert.equal(read({ title: 7 }).title, '7')
})
