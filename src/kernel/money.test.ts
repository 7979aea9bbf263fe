import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from '../../test/support/random.ts'
import { RAW_MAX, RAW_PER_NANO, formatNano, parseNano, parseRaw, toRaw, toPlainDecimal } from './money.ts'

test('no raw is ever lost between raw and nano, whose text is the shortest there is (contract 1, Terms and units: raw, nano; 4.1, rule 9)', () =>
  repeat(2000, (random) => {
    const raw = toRaw(random.bigint(128))
    assert.match(formatNano(raw), /^(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/)
    assert.equal(parseNano(formatNano(raw)), raw)
    assert.equal(parseRaw(raw.toString()), raw)
  }))

test('nano text is exact at the ends of the range, and a negative difference prints with its sign in front', () => {
  const table: [bigint, string][] = [
    [0n, '0'],
    [1n, '0.000000000000000000000000000001'],
    [RAW_PER_NANO - 1n, '0.999999999999999999999999999999'],
    [RAW_PER_NANO, '1'],
    [RAW_PER_NANO / 2n, '0.5'],
    [RAW_PER_NANO * 10n, '10'],
    [RAW_PER_NANO + 1n, '1.000000000000000000000000000001'],
    [RAW_MAX, '340282366.920938463463374607431768211455'],
  ]
  for (const [raw, text] of table) {
    assert.equal(formatNano(raw), text)
    assert.equal(parseNano(text), raw)
  }
  assert.equal(formatNano(-1n), '-0.000000000000000000000000000001')
  assert.equal(formatNano(-RAW_PER_NANO), '-1')
  assert.equal(formatNano((-RAW_PER_NANO * 3n) / 2n), '-1.5')
})

test('nano may leave out one side of the point and carry padding zeros', () => {
  const table: [string, bigint][] = [
    ['.5', RAW_PER_NANO / 2n],
    ['1.', RAW_PER_NANO],
    ['007', RAW_PER_NANO * 7n],
    ['1.50', (RAW_PER_NANO * 3n) / 2n],
    ['0.0', 0n],
    [`1.${'0'.repeat(30)}`, RAW_PER_NANO],
  ]
  for (const [text, raw] of table) assert.equal(parseNano(text), raw, text)
})

/** Texts that are not an amount in any unit. */
const NEVER_AMOUNTS =
  '|.|..| |-1|-0|+1|1e3|1E3|1e-3|0x10|1,5|1_000|1 |\t1|1\n|1 000|１|１.５|٣|∞|NaN|Infinity|abc|1n|--1'.split('|')

test('text that is no amount is refused, never rounded or guessed, a 31st decimal even when it is zero', () => {
  for (const text of NEVER_AMOUNTS) {
    assert.equal(parseNano(text), undefined, `nano ${JSON.stringify(text)}`)
    assert.equal(parseRaw(text), undefined, `raw ${JSON.stringify(text)}`)
  }
  for (const text of ['-0.5', '1.5.5', '1.-5', '.e1', '1.5e3', '0. 5']) assert.equal(parseNano(text), undefined, text)
  for (const text of ['01', '00', '1.0', '1.', '.5']) assert.equal(parseRaw(text), undefined, text)
  assert.equal(parseNano('0.0000000000000000000000000000001'), undefined)
  assert.equal(parseNano(`1.${'0'.repeat(31)}`), undefined)
})

test('an exponent is written out exactly, digit by digit', () => {
  const table: [text: string, nano: string][] = [
    ['1e-7', '0.0000001'],
    ['1E-30', `0.${'0'.repeat(29)}1`],
    ['1.5e3', '1500'],
    ['12.345e-2', '0.12345'],
    ['.5e1', '5'],
    ['0e5', '0'],
    ['3.40282366e+8', '340282366'],
    ['1e+30', RAW_PER_NANO.toString()],
    ['1.23e2', '123'],
  ]
  for (const [text, plain] of table) assert.equal(toPlainDecimal(text), plain, text)
  // A text that is not a number with an exponent is left for its reader to refuse.
  for (const text of ['1', 'abc', '1e', 'e1', '.e3', '1e1.5', '1e1e1', '-1e3', '1e999', ''])
    assert.equal(toPlainDecimal(text), text)
})

test('amounts above the whole supply are refused, also from our own code', () => {
  assert.equal(parseRaw(RAW_MAX.toString()), RAW_MAX)
  assert.equal(parseRaw((RAW_MAX + 1n).toString()), undefined)
  assert.equal(parseRaw('9'.repeat(39)), undefined)
  assert.equal(parseRaw('9'.repeat(40)), undefined)
  assert.equal(parseNano('340282366.920938463463374607431768211456'), undefined)
  assert.equal(parseNano('340282367'), undefined)
  assert.equal(parseNano('9'.repeat(50)), undefined)
  assert.equal(toRaw(0n), 0n)
  assert.equal(toRaw(RAW_MAX), RAW_MAX)
  assert.throws(() => toRaw(-1n), RangeError)
  assert.throws(() => toRaw(RAW_MAX + 1n), RangeError)
})
