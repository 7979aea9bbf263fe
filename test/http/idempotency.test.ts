import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGateway } from '../support/gateway.ts'

const headers = { 'idempotency-key': 'order-1' }

test('a request repeated with its key acts once and answers the same bytes', async (t) => {
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

test('the same key with another body is refused and nothing happens', async (t) => {
  const gateway = await openGateway(t)
  await gateway.call('rpc_key', { email: 'alice@example.com' }, headers)
  const refused = await gateway.call('rpc_key', { email: 'bob@example.com' }, headers)
  assert.equal(refused.status, 409)
  assert.equal(refused.json().code, 'idempotency_conflict')
})

test('a refusal that cannot change is repeated as it was', async (t) => {
  const gateway = await openGateway(t)
  const bad = { subtype: 'send', block: { type: 'state' } }
  const answers = [await gateway.call('process', bad, headers), await gateway.call('process', bad, headers)]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [400, 400],
  )
  assert.equal(answers[1]!.headers['idempotent-replayed'], 'true')
})
