import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { KINDS, isReported, describeActor, describeActivity } from './sentences.ts'

const MODULES = join(import.meta.dirname, '../..')
const HASH = 'AB'.repeat(32)
const known = { names: new Map([['mem_1', 'bob@example.com']]), accountId: 'acc_1' }
const tell = (what: string, detail: Record<string, unknown>) =>
  describeActivity({ id: 'aud_1', at: 0, actor: 'mem_1', key: undefined, what, detail }, known)
const plain = (what: string, detail: Record<string, unknown>) =>
  tell(what, detail)
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('')

/** All kinds of activity in the sources whose names are not composed at run time. */
function listWritten(): string[] {
  const files = readdirSync(MODULES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes('.test.') && !file.includes('activity/'),
  )
  const texts = files
    .map((file) => readFileSync(join(MODULES, file), 'utf8'))
    .filter((text) => /[aA]udit\(/.test(text))
    // Places of failures and kinds of events have names of the same form, so they are excluded.
    .map((text) => text.replaceAll(/(failed|lost)\('[^']*'|type: ['`][^'`]*['`]|announce\(id, '[^']*'/g, ''))
  return [...new Set(texts.flatMap((text) => [...text.matchAll(/'([a-z-]+\.[a-z_-]+)'/g)].map(([, what]) => what!)))]
}

// Nobody understands “member role changed memberId: mem_…”.
test('every kind of activity is shown as a sentence and can be filtered', () => {
  const written = listWritten().filter((what) => Object.hasOwn(KINDS, what.split('.')[0]!))
  assert.ok(written.length > 20, written.join(' '))
  const unreported = written.filter((what) => !isReported(what))
  assert.deepEqual(unreported, [])
})

test('sentences name people, link to their objects, and contain complete hashes', () => {
  assert.equal(
    plain('member.role-changed', { memberId: 'mem_1', was: 'reader', role: 'manager' }),
    'made bob@example.com manager, before reader',
  )
  assert.equal(
    plain('checkout.marked', { id: 'c1', blockHash: HASH }),
    `marked the checkout c1 as paid, with block ${HASH}`,
  )
  assert.deepEqual(tell('checkout.cancelled', { id: 'c1' }).at(-1), { text: 'c1', href: '/dashboard/checkouts/c1' })
  assert.match(
    plain('key.issued', { keyId: 'key_1', kind: 'secret', name: 'Till', scopes: ['read', 'work'] }),
    /“Till”.*may: read, work$/,
  )
  assert.equal(plain('some.new_thing', { a: 1, hash: HASH }), `some new thing a 1, hash ${HASH}`)
  assert.equal(plain('constructor', {}), 'constructor ')
})

test('who did it has a name: a person, a key, the operator, whose people are not named', () => {
  const who = (actor: string) => describeActor({ actor, key: undefined }, known)
  assert.deepEqual(['mem_1', 'acc_1'].map(who), ['bob@example.com', 'An API key'])
  for (const actor of ['mem_of_the_operator', 'acc_2', 'command line']) assert.equal(who(actor), 'The operator')
})
