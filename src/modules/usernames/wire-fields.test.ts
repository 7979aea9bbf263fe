import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readChanges } from './wire-fields.ts'

const refused = (field: string) => ({ body: { field } })

test('empty fields change nothing; removals are listed in one order, so that there is one text to sign', () => {
  assert.equal(readChanges({ title: '', website: null, metadata: undefined }), null)
  assert.deepEqual(readChanges({ title: ' Zo\u200bë ', remove: ['website', 'github', 'website'] }), {
    title: 'Zoë',
    remove: ['github', 'website'],
  })
  assert.deepEqual(readChanges({ remove: 'image' }), { remove: ['image'] })
  for (const remove of [['title'], [], ['address'], [7], ['toString']]) {
    assert.throws(() => readChanges({ title: 'a', remove }), refused('remove'), JSON.stringify(remove))
  }
})

test('a link on a profile leads to the web, and has no credentials', () => {
  assert.deepEqual(readChanges({ website: 'https://example.com/a' }), { website: 'https://example.com/a' })
  const others = ['javascript:alert(1)', ' data:text/html,x', 'example.com', 'https://a:b@example.com', 'https://']
  for (const website of others) {
    assert.throws(() => readChanges({ website }), { code: 'invalid_url', ...refused('website') }, website)
  }
})

test('texts and metadata have an end', () => {
  assert.ok(readChanges({ title: 'x'.repeat(99), metadata: { a: 'x'.repeat(492) } }))
  assert.throws(() => readChanges({ title: 'x'.repeat(100) }), refused('title'))
  for (const metadata of [{ a: 'x'.repeat(493) }, { a: 'é'.repeat(247) }, ['a'], 'text']) {
    assert.throws(() => readChanges({ metadata }), { code: 'invalid_metadata', ...refused('metadata') })
  }
})
