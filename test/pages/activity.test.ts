import { OPERATOR, actorOf } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertAudit } from '../../src/modules/accounts/index.ts'
import { TestClock } from '../support/clock.ts'
import { ask } from '../support/gateway.ts'
import { openDashboard } from './dashboard-steps.ts'

test('activity is read as sentences, narrowed by person, kind and day, and taken along as a table; that of others is not there (contract 5, rule 32)', async (t) => {
  const { ctx, join, enter, get, rest, url } = await openDashboard(t, {}, new TestClock())
  const owner = await join('owner@example.com')
  const other = await join('other@example.com')
  const { accountId, key } = owner
  const hash = 'C0FFEE'.padEnd(64, '7')
  const { member } = await rest<{ member: { id: string } }>('POST', '/api/members', key, {
    email: '=cmd@example.com',
    role: 'reader',
  })
  const marked = { what: 'checkout.marked', detail: { id: '0123456789abcdef', blockHash: hash } }
  await insertAudit(ctx, { actor: actorOf.person(member.id), accountId, ...marked })
  await insertAudit(ctx, {
    actor: OPERATOR,
    accountId: other.accountId,
    what: 'key.revoked',
    detail: { keyId: 'key_theirs' },
  })
  const cookie = await enter(key)
  const page = async (query = '') => (await get(`/dashboard/activity${query}`, cookie)).text
  const whole = await page()
  assert.ok(whole.includes(hash), 'the hash is whole')
  assert.match(whole, /<a href="\/dashboard\/checkouts\/0123456789abcdef">/)
  assert.match(whole, /invited <a href="\/dashboard\/people"/)
  assert.ok(!whole.includes('key_theirs'))

  assert.doesNotMatch(await page('?kind=key'), /invited/)
  const mine = await page(`?person=${member.id}`)
  assert.ok(mine.includes(hash) && !mine.includes('made this account'))
  assert.match(await page('?to=2001-01-01'), /No matching activity/)
  const day = new Date(ctx.clock.now()).toISOString().slice(0, 10)
  assert.ok((await page(`?from=${day}&to=${day}`)).includes(hash))
  assert.equal((await get("/dashboard/activity?kind=%25&person='--&from=x&before=1-'", cookie)).status, 400)

  const csv = async (query = '', headers: Record<string, string> = { cookie }) =>
    ask(`${url}/api/activity.csv${query}`, { method: 'GET', headers })
  const table = await csv()
  assert.match(String(table.headers['content-disposition']), /activity\.csv/)
  assert.ok(table.text.includes(hash) && !table.text.includes('key_theirs'))
  // An address that a spreadsheet would run as a formula.
  assert.match(table.text, /,'=cmd@example\.com,/)
  assert.equal((await csv('?kind=member')).text.split('\r\n').length, 3)
  assert.equal((await csv('', {})).status, 401)
})
