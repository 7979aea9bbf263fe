import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { WEBHOOK_SUBJECTS } from '../../http/openapi/webhooks.ts'
import { ALWAYS_SENT, EVENT_KINDS } from './event-kinds.ts'

test('the contract lists exactly the kinds of events, with the same text', () => {
  const part = readFileSync(new URL('../../../docs/contract/part-6.md', import.meta.url), 'utf8')
  const [, table] = /^### Event kinds$\n\n([\s\S]*?)\n\n/m.exec(part)!
  const cells = table!
    .split('\n')
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '))
  // How tests of an address are sent is a matter of webhooks themselves.
  const rows = cells.filter(([kind]) => kind !== '`ping`')
  const sent = Object.keys(EVENT_KINDS).map((kind) => (kind === ALWAYS_SENT ? 'always' : 'by `webhook_events`'))
  assert.deepEqual(
    rows.slice(0, sent.length).map(([, how]) => how),
    sent,
  )
  assert.deepEqual(
    rows.map(([kind, , when]) => [kind, when]),
    WEBHOOK_SUBJECTS.flatMap(({ kinds }) => Object.entries(kinds).map(([kind, when]) => [`\`${kind}\``, when])),
  )
})
