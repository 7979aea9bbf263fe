import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SCOPES } from '../../src/kernel/rights.ts'
import { OFFERED } from '../../src/offered.ts'

/* Contract 5: the scopes in docs/keys.md. */

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/keys.md'), 'utf8')

test('the guide has every scope with the actions that need it, and no other (contract 5, rule 21)', () => {
  const section = /^## Scopes\n[^#]*/m.exec(GUIDE)![0]
  const rows = [...section.matchAll(/^\| `([a-z:]+)` \| (.*?) \|/gm)].map(([, scope, text]) => ({
    scope: scope!,
    actions: [...text!.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name!).sort(),
  }))
  assert.deepEqual(
    rows.map(({ scope }) => scope),
    [...SCOPES],
  )
  const actions = OFFERED.flatMap((module) => module.actions.map((action) => ({ ...action, context: module.name })))
  for (const { scope, actions: told } of rows) {
    // The guide lists reads of the ledger as a group; `process` is listed because it does more than read.
    const wanted = actions
      .filter((action) => action.scope === scope && action.context !== 'ledger')
      .map(({ name }) => name)
    if (scope === 'wallets:read') wanted.push('cloud_wallet')
    if (scope === 'read') wanted.push('process')
    assert.deepEqual(told, wanted.sort(), scope)
  }
  assert.ok(actions.filter(({ context }) => context === 'ledger').every(({ scope }) => scope === 'read'))
})
