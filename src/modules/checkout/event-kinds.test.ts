import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ADDRESS_KINDS } from '../webhooks/index.ts'
import { ALWAYS_SENT, EVENT_KINDS } from './event-kinds.ts'

test('every kind of event stands in the contract, in the same words, and no other', () => {
  const part = readFileSync(new URL('../../../docs/contract/part-6.md', import.meta.url), 'utf8')
  const [, table] = /^### Event kinds$\n\n([\s\S]*?)\n\n/m.exec(part)!
  const rows = table!.split('\n').slice(2)
  const expected = Object.entries(EVENT_KINDS).map(
    ([kind, when]) => `| \`${kind}\` | ${kind === ALWAYS_SENT ? 'always' : 'by `webhook_events`'} | ${when} |`,
  )
  const ofAddresses = Object.entries(ADDRESS_KINDS).map(
    ([kind, when]) => `| \`${kind}\` | to the endpoint that watches | ${when} |`,
  )
  // Tests of an address are told by webhooks itself.
  assert.deepEqual(
    rows.filter((row) => !row.startsWith('| `ping` |')),
    [...expected, ...ofAddresses],
  )
})
