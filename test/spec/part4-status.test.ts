import assert from 'node:assert/strict'
import { test } from 'node:test'
import { look } from '../../src/modules/status/domain/status.ts'
import { ask, openGateway } from '../support/gateway.ts'

/* Contract 4.14: the public status of the service. */

test('the status is public, as a page and as JSON, and reveals no account and no node (contract 4.14, rules 1 and 2)', async (t) => {
  const gateway = await openGateway(t)
  const { url, ctx, app } = gateway
  await look(ctx, () => ({ nodes: 'degraded', work: 'up', prices: 'up' }))
  const json = await ask(`${url}/status.json`, { method: 'GET' })
  const status = json.json<{
    components: { component: string; state: string; days: object[] }[]
    incidents: object[]
  }>()
  const named = status.components.map(({ component }) => component)
  assert.deepEqual(named, ['gateway', 'nodes', 'work', 'webhooks', 'prices', 'mail'])
  assert.equal(status.components.find(({ component }) => component === 'nodes')?.state, 'degraded')
  assert.equal(status.components.at(-1)?.state, 'off', 'there is no mail server')
  assert.equal(status.components[0]?.days.length, 90)
  assert.deepEqual(Object.keys(status), ['looked_at', 'components', 'incidents'])
  assert.deepEqual(Object.keys(status.components[0]), ['component', 'name', 'state', 'uptime_percent', 'days'])
  assert.deepEqual(Object.keys(status.components[0].days[0]!), ['day', 'state', 'uptime_percent'])
  const page = await ask(`${url}/status`, { method: 'GET', headers: { accept: 'text/html' } })
  assert.equal(page.status, 200)
  assert.match(page.text, /<h1>Some systems are degraded<\/h1>[^]*Not set up[^]*has no mail server/)
  for (const { text } of [json, page]) {
    for (const { options } of app.nodes.pool.upstreams) assert.ok(!text.includes(options.url))
    assert.doesNotMatch(text, /acc_|devnet"/)
  }
})
