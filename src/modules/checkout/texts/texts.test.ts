import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LANGUAGES, TEXTS, fill } from './index.ts'
import type { Texts } from './en.ts'

const braces = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()

test('every language has every text, with the same placeholders', () => {
  for (const language of LANGUAGES) {
    for (const [name, text] of Object.entries(TEXTS[language])) {
      const english = TEXTS.en[name as keyof Texts]
      assert.deepEqual(braces(text), braces(english), `${language}: ${name}`)
      assert.equal(text, text.trim(), `${language}: ${name}`)
      assert.notEqual(text, '', `${language}: ${name}`)
      assert.doesNotMatch(text, /[<>]/, `${language}: ${name}`)
    }
  }
})

test('values are put in as they are, braces in them too', () => {
  assert.equal(fill('{a} of {b}, {c}', { a: '{b}', b: '$&' }), '{b} of $&, {c}')
})
