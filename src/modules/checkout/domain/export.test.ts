import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quote, safeText } from '../../../kernel/csv.ts'
import { CSV_HEADER } from './export.ts'

test('no text becomes a formula, however it begins', () => {
  for (const text of ['=1+1', '+1', '-1', '@sum', '\t=1', '\r=1', ' =1', '＝1', '\u200b=1', "ok\n=cmd|' /C calc'!A0"]) {
    for (const line of safeText(text).split('\n')) assert.doesNotMatch(line, /^[\s\p{Cf}]*[=+\-@＝＋－＠]/u)
  }
  assert.equal(safeText('plain'), 'plain')
})

test('cells are quoted as RFC 4180 says', () => {
  assert.equal(quote('a,b'), '"a,b"')
  assert.equal(quote('say "x"'), '"say ""x"""')
  assert.equal(quote('plain'), 'plain')
  assert.ok(CSV_HEADER.startsWith('\uFEFFdate_utc,checkout_id,'))
  assert.ok(CSV_HEADER.endsWith('metadata_json,type,refund_id\r\n'))
})
