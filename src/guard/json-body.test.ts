import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBody } from './json-body.ts'

const read = (value: string) => parseBody(`{"value" : ${value}}`).value

test('the order number of another program keeps all of its digits, and so does an amount', () => {
  const kept = [
    '1184367295834562561',
    '1184367295834562560',
    '-1184367295834562561',
    '0.1234567890123456789',
    '12345678901234567890e5',
    '1'.repeat(200),
  ]
  for (const number of kept) assert.equal(read(number), number)
  assert.deepEqual(read('{"order": [1184367295834562561,7]}'), { order: ['1184367295834562561', 7] })
})

test('a number that can be kept as it is stays one, and strings stay as they are', () => {
  const exact = ['9007199254740991', '0.30000000000000004', '1.00000000000000000', '1e1000000000000000000']
  for (const number of exact) assert.equal(read(number), Number(number))
  for (const text of ['', 'paid: 1184367295834562561', 'a "quote" 1184367295834562561', '\\', 'ends in \\"'])
    assert.deepEqual(read(`[${JSON.stringify(text)}, 1184367295834562561]`), [text, '1184367295834562561'])
})

test('long bodies of digits are read at once', () => {
  const many = Array.from({ length: 50_000 }, () => '1184367295834562561')
  for (const digits of [`1.${'0'.repeat(900_000)}1`, `1${'0'.repeat(900_000)}`]) assert.equal(read(digits), digits)
  assert.deepEqual(read(`[${many.join()}]`), many)
})
