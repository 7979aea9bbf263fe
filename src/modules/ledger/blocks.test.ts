import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RAW_PER_NANO } from '../../kernel/money.ts'
import { shapeBlock } from './blocks.ts'

const raw = (nano: bigint) => (nano * RAW_PER_NANO).toString()

test('a block shows its amounts in nano beside raw, and so does the balance in a state block', () => {
  const contents = { type: 'state', balance: raw(7n) }
  const shaped = shapeBlock({ amount: raw(2n), balance: raw(7n), height: '4', contents })
  assert.deepEqual(shaped, {
    ...{ amount: raw(2n), amount_nano: '2', balance: raw(7n), balance_nano: '7', height: '4' },
    contents: { ...contents, balance_nano: '7' },
  })
})

// Read as a decimal number it would give a wrong amount in raw, and nobody would notice.
test('the hexadecimal balance of an old block is not taken for raw, even where no letter shows it', () => {
  const contents = { type: 'send', balance: '00000000000000000000000000001000' }
  assert.deepEqual(shapeBlock({ contents }), { contents })
  assert.deepEqual(shapeBlock({ contents: '{"type":"state","balance":"1"}' }), {
    contents: '{"type":"state","balance":"1"}',
  })
})
