import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { ask, openGateway } from '../support/gateway.ts'

test('a developer finds the request whose answer puzzles, by its id, without what was sent (contract 7, rule 9)', async (t) => {
  const { url, app } = await openGateway(t)
  const headers = { authorization: `Bearer ${app.createdKey}` }
  const post = (body: object) => ask(url, { headers, body: JSON.stringify(body) })
  const { address } = new Signer(7)
  const refused = await post({ action: 'account_balance', account: `${address}x` })
  await post({ action: 'account_balance', account: address })
  await ask(url, { body: JSON.stringify({ action: 'block_count' }) })
  await ask(`${url}/api/keys`, { method: 'GET', headers })
  const list = async (query = '') => {
    const reply = await ask(`${url}/api/requests${query}`, { method: 'GET', headers })
    assert.doesNotMatch(reply.text, new RegExp(`${address}|${app.createdKey}`))
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
  const routes = (await list('?action=GET%20%2Fapi%2Fkeys&outcome=well')).requests
  assert.deepEqual(
    routes.map(({ action }) => action),
    ['GET /api/keys'],
  )
})
