import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { bearer, openGateway } from '../support/gateway.ts'

test('a developer finds the request whose answer puzzles, by its id, without what was sent (contract 7, rule 9)', async (t) => {
  const { app, call, rest } = await openGateway(t)
  const key = app.createdKey!
  const { address } = new Signer(7)
  const balance = (account: string) => call('account_balance', { account }, bearer(key))
  const refused = await balance(`${address}x`)
  await balance(address)
  await call('block_count')
  await rest('GET', '/api/keys', key)
  const list = async (query = '') => {
    const reply = await rest('GET', `/api/requests${query}`, key)
    assert.doesNotMatch(reply.text, new RegExp(`${address}|${key}`))
    return reply.json<{ requests: Record<string, unknown>[]; next?: string }>()
  }
  const { requests, next } = await list()
  assert.deepEqual(
    requests.map(({ action, status, code }) => [action, status, code]),
    [
      ['GET /api/keys', 200, null],
      ['account_balance', 200, null],
      ['account_balance', refused.status, refused.json().code ?? null],
    ],
  )
  assert.equal(next, undefined)
  const found = requests.find(({ request_id }) => request_id === refused.headers['x-request-id'])
  assert.equal(found?.action, 'account_balance')
  assert.match(String(found?.key), /^key_/)
  const routes = (await list('?action=GET%20%2Fapi%2Fkeys&outcome=well')).requests.map(({ action }) => action)
  assert.deepEqual(routes, ['GET /api/keys'])
})
