import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { frontierOf, nano } from '../support/blocks.ts'
import { type Reply, ask, bearer } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { type World, alice, bob, happen, openWorld } from './cache-steps.ts'

/* Responses found in the cache by the bytes of the request. The caller must still be identified, limited and counted as usual. */

const READ = { action: 'account_balance', account: alice.address }

const post = ({ gateway }: World, body: object, headers: Record<string, string> = {}): Promise<Reply> =>
  ask(gateway.app.url, { body: JSON.stringify(body), headers })

/** Makes a second key of the administrator, and a function that revokes it. */
async function issue({ gateway: { app } }: World) {
  const headers = bearer(app.createdKey!)
  const rest = (method: string, path: string, body?: object) =>
    ask(`${app.url}/api${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const { id, key } = (await rest('POST', '/keys', { kind: 'secret', name: 'Shop' })).json()
  return { key: key!, revoke: () => rest('DELETE', `/keys/${id}`) }
}

test('a revoked key was served from the cache: it is refused at once, in the header or the body', async (t) => {
  const world = await openWorld(t)
  const { key, revoke } = await issue(world)
  const ways = [
    { name: 'header', send: () => post(world, READ, bearer(key)) },
    { name: 'body', send: () => post(world, { ...READ, key }) },
  ]
  for (const { name, send } of ways) {
    for (let round = 0; round < 4; round++) {
      const { status, headers } = await send()
      assert.equal(status, 200, name)
      if (round > 1) assert.equal(headers['x-cache'], 'hit')
    }
  }
  await revoke()
  for (const { name, send } of ways) assert.equal((await send()).status, 401, name)
  assert.equal((await post(world, { ...READ, key: 'rpc_sk_wrong' })).status, 401)
  assert.equal((await post(world, READ)).headers['x-cache'], 'hit', 'the answer is nobody’s own')
})

test('requests were missing in an account’s log: cached and shared answers are logged for their key', async (t) => {
  const world = await openWorld(t)
  const { node, gateway } = world
  const { key } = await issue(world)
  for (let round = 0; round < 5; round++) assert.equal((await post(world, READ, bearer(key))).status, 200)
  const release = node.hold('account_info')
  const info = { action: 'account_info', account: alice.address }
  const waiting = [1, 2, 3].map(() => post(world, info, bearer(key)))
  await until(() => node.hits('account_info') === 1)
  release()
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 200)
  await gateway.app.usage.flush()
  const { usage } = (await post(world, { action: 'rpc_credits' }, bearer(key))).json<{ usage: unknown }>()
  assert.match(JSON.stringify(usage), /"account_balance":5\b/)
  assert.match(JSON.stringify(usage), /"account_info":3\b/)
})

test('two different keys in one request are refused, though the answer to its body is remembered', async (t) => {
  const world = await openWorld(t)
  const { key } = await issue(world)
  for (let round = 0; round < 3; round++) assert.equal((await post(world, { ...READ, key })).status, 200)
  const reply = await post(world, { ...READ, key }, bearer(world.gateway.app.createdKey!))
  assert.deepEqual([reply.status, reply.json().code], [401, 'conflicting_credentials'])
})

test('a client that disconnects does not abort the shared read of others', async (t) => {
  const world = await openWorld(t)
  const { node, gateway } = world
  const release = node.hold('account_balance')
  const first = httpRequest(gateway.app.url, { method: 'POST', agent: false })
  first.on('error', () => undefined)
  first.end(JSON.stringify(READ))
  await until(() => node.hits('account_balance') === 1)
  const others = [1, 2, 3].map(() => post(world, READ))
  const counted = () => gateway.ask('version')
  await counted()
  first.destroy()
  await counted()
  release()
  for (const { status, headers, text } of await Promise.all(others)) {
    assert.deepEqual([status, headers['x-cache']], [200, 'coalesced'])
    assert.match(text, new RegExp(`"balance":"${nano(100)}"`))
  }
  assert.equal(node.hits('account_balance'), 1)
})

test('a request after a payment does not get an answer that was made before it', async (t) => {
  const world = await openWorld(t)
  const { ledger, node } = world
  const release = node.hold('account_balance')
  const before = post(world, READ)
  await until(() => node.hits('account_balance') === 1)
  await happen(world, alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(40)))
  const after = post(world, READ)
  await until(() => node.hits('account_balance') === 2)
  release()
  assert.equal((await before).status, 200)
  assert.match((await after).text, new RegExp(`"balance":"${nano(60)}"`))
})
