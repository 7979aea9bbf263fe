import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

test('two long vanity searches of one account do not keep another from its own (contract 4.2, rule 4)', async (t) => {
  const { call, url, app, join } = await openGateway(t)
  const { db } = app.store
  const greedy = await join()
  for (const vanity of ['1zzzz', '3zzzz']) {
    const headers = { ...greedy.headers, 'idempotency-key': vanity }
    const sent = request(url, { method: 'POST', headers })
    sent.on('error', () => undefined)
    // Whoever hangs up ends the search.
    t.after(() => sent.destroy())
    sent.end(JSON.stringify({ action: 'cloud_wallet', vanity }))
  }
  await until(async () => (await db.selectFrom('idempotency').select('key').execute()).length === 2)
  const headers = { authorization: `Bearer ${app.createdKey}` }
  const reply = await call('cloud_wallet', { vanity: '1' }, headers)
  assert.equal(reply.status, 200, reply.text)
  assert.match(reply.json().address!, /^nano_1/)
})
