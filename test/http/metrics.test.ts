import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ask, openGateway, readMetrics } from '../support/gateway.ts'
import { WAYS_TO_METRICS, askPath } from '../support/raw-path.ts'

/* Metrics are for the operator only: they show the treasury's balance and which limits are reached. */

const OURS = /gateway_|nodejs_|process_/
const TOKEN = 'a-token-of-the-operator'

test('outsiders cannot read the treasury’s balance on the gateway’s port, however they write the path; the metrics port serves nothing else', async (t) => {
  const gateway = await openGateway(t, { DEVNET_TREASURY_NANO: '1000' })
  for (const path of WAYS_TO_METRICS) {
    const { status, text } = await askPath(gateway.url, path)
    assert.ok(status === 404 || status === 400, `${path}: ${status}`)
    assert.doesNotMatch(text, OURS, path)
  }
  assert.match(await readMetrics(gateway), /^gateway_treasury_nano /m)
  const url = gateway.app.metricsUrl!
  for (const path of ['/', '/health/live', '/openapi.json', '/dashboard', '/metrics/', '//metrics']) {
    assert.equal((await askPath(url, path)).status, 404, path)
  }
  const posted = await ask(url, { body: '{"action":"version"}' })
  assert.deepEqual([posted.status, posted.headers.allow], [405, 'GET'])
})

test('metrics that the network can reach without a token stop the start', async (t) => {
  await assert.rejects(openGateway(t, { METRICS_HOST: '0.0.0.0' }), {
    message: 'METRICS_TOKEN must be set where METRICS_HOST is not loopback (openssl rand -hex 24).',
  })
  await assert.rejects(openGateway(t, { METRICS_TOKEN: 'short' }), /^Error: METRICS_TOKEN must be 16 or more /)
})

test('a token is asked for where one is set, also on other paths, and comes up in no answer', async (t) => {
  const { app } = await openGateway(t, { METRICS_HOST: '0.0.0.0', METRICS_TOKEN: TOKEN })
  const url = app.metricsUrl!.replace('0.0.0.0', '127.0.0.1')
  const get = (authorization?: string, path = '') =>
    ask(`${url}${path}`, { method: 'GET', headers: authorization === undefined ? {} : { authorization } })
  for (const wrong of [undefined, '', TOKEN, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Basic ${TOKEN}`]) {
    for (const path of ['', '/more']) {
      const { status, headers, text } = await get(wrong, path)
      assert.deepEqual([status, headers['www-authenticate']], [401, 'Bearer'], wrong)
      assert.doesNotMatch(text, OURS)
    }
  }
  const { status, text } = await get(`Bearer ${TOKEN}`)
  assert.equal(status, 200)
  assert.match(text, /^gateway_store_up 1$/m)
  assert.doesNotMatch(text, new RegExp(TOKEN))
})

test('switched off, metrics are nowhere', async (t) => {
  const { app, url } = await openGateway(t, { METRICS: 'false' })
  assert.equal(app.metricsUrl, undefined)
  assert.equal((await ask(`${url}/metrics`, { method: 'GET' })).status, 404)
})

/** Listens on the given port, or on a free one if it is taken, until the test ends. */
async function takePort(t: TestContext, wanted: number): Promise<number> {
  const holder = createServer()
  t.after(() => holder.close())
  holder.listen(wanted, '127.0.0.1')
  try {
    await once(holder, 'listening')
  } catch {
    return wanted
  }
  return (holder.address() as AddressInfo).port
}

test('a second local gateway starts beside the first, and says where its metrics are', async (t) => {
  await takePort(t, 9464)
  const gateway = await openGateway(t, { METRICS_PORT: 'auto' })
  const url = gateway.app.metricsUrl!
  assert.notEqual(new URL(url).port, '9464')
  assert.match(await readMetrics(gateway), /^gateway_store_up 1$/m)
  const told = gateway.log().split('\n')
  assert.ok(told.some((line) => line.includes('"metrics_port_taken"') && line.includes(url)))
})

// Otherwise Prometheus would keep reading the other gateway, and nobody would monitor this one.
test('a gateway whose port for metrics is taken does not start unseen: the setting is named', async (t) => {
  const outside = { NODE_ENV: 'production', NODE_URLS: 'devnet:' }
  await takePort(t, 9464)
  const taken = await takePort(t, 0)
  const message = (port: number) =>
    `Port ${port} for metrics is already in use. Set another one, METRICS_PORT=${port + 1}, or none, METRICS=false.`
  await assert.rejects(openGateway(t, { ...outside, METRICS_PORT: 'auto' }), { message: message(9464) })
  await assert.rejects(openGateway(t, { METRICS_PORT: String(taken) }), { message: message(taken) })
})
