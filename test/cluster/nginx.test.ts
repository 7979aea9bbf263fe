import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { openGateway, readMetrics, ask } from '../support/gateway.ts'
import { Nginx, checkShipped } from '../support/nginx.ts'
import { WAYS_TO_METRICS, askPath } from '../support/raw-path.ts'
import { until } from '../support/until.ts'

/* The configuration in deploy/, in a real nginx. */

// nginx resolves names in `upstream` before it starts, so one missing gateway would stop all service.
test('nginx accepts its configuration while no gateway can be reached', async (t) => {
  assert.match(await checkShipped(t), /syntax is ok[^]*test is successful/)
})

test('without one of the gateways nginx starts and answers, and uses it once it is there', async (t) => {
  const here = await openGateway(t)
  const port = await freePort()
  const nginx = await Nginx.start(t, [{ port: Number(new URL(here.url).port) }, { port }])
  const call = () => ask(nginx.url, { body: '{"action":"version"}' })
  for (let at = 0; at < 20; at++) assert.equal((await call()).status, 200)
  const late = await openGateway(t, { PORT: String(port) })
  await until(async () => {
    assert.equal((await call()).status, 200)
    return /^gateway_requests_total\{action="version"/m.test(await readMetrics(late))
  })
})

test('outsiders cannot read the treasury’s balance through nginx, however they write the path, nor from an older gateway behind it', async (t) => {
  const asked: string[] = []
  // It answers every path, as gateways before 0.2.0 answer /metrics and /metrics/.
  const older = createServer((request, response) => {
    if (request.url !== '/health/live') asked.push(request.url!)
    response.end('gateway_treasury_nano 1000')
  }).listen(0, '127.0.0.1')
  await once(older, 'listening')
  t.after(() => older.close())
  const nginx = await Nginx.start(t, [{ port: (older.address() as AddressInfo).port }])
  for (const path of WAYS_TO_METRICS) {
    const { status, text } = await askPath(nginx.url, path)
    assert.ok(status === 404 || status === 400, `${path}: ${status}`)
    assert.doesNotMatch(text, /gateway_/, path)
  }
  assert.deepEqual(asked, [])
  assert.equal((await askPath(nginx.url, '/docs')).status, 200, 'everything else comes through')
})
