import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGateway } from '../support/gateway.ts'

const headers = { 'idempotency-key': 'order-1' }

test('a request repeated with its key acts once and answers the same bytes (contract 4.1, rule 28; 9, Synonyms: money-moving actions)', async (t) => {
  const gateway = await openGateway(t)
  const first = await gateway.call('rpc_key', { email: 'alice@example.com' }, headers)
  const second = await gateway.call('rpc_key', { email: 'alice@example.com' }, headers)
  assert.equal(first.status, 200)
  assert.equal(first.headers['idempotent-replayed'], undefined)
  assert.equal(second.text, first.text)
  assert.equal(second.headers['idempotent-replayed'], 'true')
  const links = await gateway.app.store.db.selectFrom('jobs').select('id').where('kind', 'like', '%sign-in%').execute()
  assert.equal(links.length, 1)
})

test('the same key with another body is refused and nothing happens (contract 4.1, rule 28; 7, Status codes: 409)', async (t) => {
  const gateway = await openGateway(t)
  await gateway.call('rpc_key', { email: 'alice@example.com' }, headers)
  const refused = await gateway.call('rpc_key', { email: 'bob@example.com' }, headers)
  assert.equal(refused.status, 409)
  assert.equal(refused.json().code, 'idempotency_conflict')
})

test('a request that cannot be read is refused before its key is taken', async (t) => {
  const gateway = await openGateway(t)
  const refused = await gateway.call('rpc_key', { email: 'nobody' }, headers)
  assert.equal(refused.status, 400)
  assert.equal((await gateway.call('rpc_key', { email: 'alice@example.com' }, headers)).status, 200)
})
