import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { Signer, frontierOf, openAccount } from '../support/blocks.ts'
import { bearer, nano, openWorld, turnUntil } from '../support/checkout-steps.ts'
import { type Collector, openCollector } from '../support/collector.ts'
import { ENGINES } from '../support/engines.ts'
import { openFolder } from '../support/folder.ts'
import { ask, openGateway, readMetrics } from '../support/gateway.ts'
import { serveWhole } from '../support/serve.ts'
import { until } from '../support/until.ts'
import { start } from './process.ts'

const THEIRS = '0af7651916cd43dd8448eb211c80319c'
const traceparent = (flags: '00' | '01') => `00-${THEIRS}-b7ad6b7169203331-${flags}`
const settingsFor = ({ url }: Pick<Collector, 'url'>, share: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
  OTEL_EXPORTER_OTLP_HEADERS: 'X-Collector-Key=for%20the%20collector',
  OTEL_TRACES_SAMPLER_ARG: share,
})

/** A payer publishes a payment through the gateway, and the shop's webhook succeeds at the second attempt. */
async function payThroughGateway(t: TestContext, engine: StoreEngine) {
  const world = await openWorld(t, engine)
  const collector = await openCollector(t)
  const told: string[] = []
  const hook = await serveWhole(t, (body, request, response) => {
    told.push(`${String(request.headers.traceparent)} ${body}`)
    response.writeHead(told.length === 1 ? 500 : 200).end()
  })
  const env = {
    ...settingsFor(collector, '1'),
    WEBHOOK_ALLOW_PRIVATE: 'true',
    NODE_URLS: `${world.ledger.rpcUrl}#name=first`,
  }
  const shop = await world.start(env)
  const email = 'zoe.secret@example.com'
  const { key } = await shop.join({ email })
  const webhook = {
    webhook_url: `${hook}/hook?token=hook-token`,
    webhook_secret: 'whsec_c2VjcmV0IG9mIHRoZSBzaG9wIGluIGl0cyB0ZXN0',
  }
  const merchant = new Signer(61)
  const made = await shop.open(
    { address: merchant.address, amount: '1', title: 'Tea for Zoë', ...webhook },
    bearer(key),
  )
  const payer = new Signer(62)
  await openAccount(world.ledger.node, payer, nano('5'))
  const send = payer.send(frontierOf(world.ledger.node, payer.key), fromAddress(made.address)!, BigInt(made.amount_raw))
  const body = JSON.stringify({ action: 'process', json_block: 'true', subtype: 'send', block: toBlockJson(send) })
  const paid = await shop.post(body, { traceparent: traceparent('01') })
  assert.equal(paid.status, 200, paid.text)
  await until(() => shop.log().includes('"outcome":"retrying"'))
  world.clock.advance(7_000)
  await turnUntil(world, 100, () => Promise.resolve(shop.log().includes('"outcome":"delivered"')))
  const check = await shop.rest('GET', `/check/${made.id}?key=in-the-query`)
  await shop.close()
  const secrets = [
    key,
    email,
    webhook.webhook_secret,
    'hook-token',
    'in-the-query',
    'Zoë',
    '127.0.0.1',
    'nano_',
    made.id,
    send.signature,
  ]
  return { collector, shop, paid, check, told, secrets }
}

for (const engine of ENGINES) {
  test(`one trace leads from a request through guard, node and store to the delivered webhook (${engine})`, async (t) => {
    const { collector, shop, paid, check, told, secrets } = await payThroughGateway(t, engine)
    const trace = collector.traceOf(paid.headers['x-request-id'])
    const named = (name: string) => {
      const found = trace.find((step) => step.name === name)
      assert.ok(found, `${name} is missing among ${trace.map((step) => step.name).join(', ')}`)
      return found
    }
    const parentOf = ({ parentSpanId }: { parentSpanId?: string }) =>
      trace.find(({ spanId }) => spanId === parentSpanId)?.name
    const request = named('rpc process')
    assert.deepEqual(
      [request.facts['gateway.action'], request.facts['http.response.status_code'], request.parentSpanId],
      ['process', 200, undefined],
    )
    assert.equal(parentOf(named('guard throttle')), 'rpc process')
    assert.equal(parentOf(named('node process')), 'guard act')
    assert.equal(named('node process').facts['gateway.node'], 'first')
    assert.equal(parentOf(named('payment credited')), 'node process')
    const stores = trace.filter(({ name }) => name === 'store transaction')
    assert.ok(stores.some((step) => parentOf(step) === 'payment credited'))
    assert.equal(stores[0]!.facts['db.system.name'], engine === 'sqlite' ? 'sqlite' : 'postgresql')
    const attempts = trace.filter(({ name }) => name === 'webhook attempt')
    assert.deepEqual(
      attempts.map((step) => [
        parentOf(step),
        step.facts['gateway.event.type'],
        step.facts['gateway.delivery.attempt'],
        step.facts['http.response.status_code'],
      ]),
      [
        ['job webhooks.deliver', 'payment.completed', 1, 500],
        ['job webhooks.deliver', 'payment.completed', 2, 200],
      ],
    )
    const attempt = attempts[1]!
    assert.equal(named('job webhooks.deliver').facts['gateway.job.outcome'], 'done')
    assert.match(String(attempt.facts['gateway.delivery.id']), /^dlv_/)
    assert.deepEqual(
      trace.filter(({ hasFailed }) => hasFailed),
      [],
    )

    // A request with its own trace id is only linked to that trace, and webhook receivers get no trace headers.
    assert.notEqual(request.traceId, THEIRS)
    assert.deepEqual(
      request.links.map(({ traceId }) => traceId),
      [THEIRS],
    )
    assert.match(told[0]!, /^undefined /)
    assert.equal(named('rpc process').traceId, attempt.traceId)

    // A page's span has the name of its declared route.
    const [page] = collector
      .traceOf(check.headers['x-request-id'])
      .filter(({ parentSpanId }) => parentSpanId === undefined)
    assert.deepEqual([page?.name, page?.facts['http.route']], ['GET /check/:id', '/check/:id'])

    assert.ok(collector.headers().every((value) => value === 'for the collector'))
    const found = secrets.filter((secret) => collector.bytes().includes(secret))
    assert.deepEqual(found, [])
    assert.ok(!shop.log().includes('for the collector'))
  })
}

test('an anonymous caller cannot enable tracing, and a trusted caller can by its own flag', async (t) => {
  const collector = await openCollector(t)
  const asked = async (env: Record<string, string>, flags: '00' | '01') => {
    const gateway = await openGateway(t, { ...settingsFor(collector, '0'), ...env })
    const { headers, status } = await gateway.call('version', {}, { traceparent: traceparent(flags) })
    assert.equal(status, 200)
    await gateway.close()
    return collector.traceOf(headers['x-request-id'])
  }
  assert.deepEqual(await asked({}, '01'), [])
  const [first] = await asked({ TRACES_TRUSTED_CALLERS: '10.0.0.0/8,127.0.0.1' }, '01')
  assert.equal(first?.traceId, THEIRS)
  const share = { OTEL_TRACES_SAMPLER_ARG: '1' }
  assert.deepEqual(await asked({ ...share, TRACES_TRUSTED_CALLERS: 'loopback' }, '00'), [])
  assert.notEqual((await asked({ ...share, TRACES_TRUSTED_CALLERS: '10.0.0.0/8' }, '00'))[0]?.traceId, THEIRS)
})

test('requests that share a connection share no trace', async (t) => {
  const collector = await openCollector(t)
  const gateway = await openGateway(t, settingsFor(collector, '1'))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const ids: unknown[] = []
  for (const path of ['/', '/api/checkouts', '/', '/api/checkouts']) {
    const body = JSON.stringify({ action: 'version' })
    const way = path === '/' ? { body } : { method: 'GET' }
    ids.push((await ask(`${gateway.url}${path}`, { ...way, agent })).headers['x-request-id'])
  }
  await gateway.close()
  const firsts = ids.map((id) => collector.steps().find(({ facts }) => facts['gateway.request_id'] === id))
  assert.deepEqual(
    firsts.map((step) => [step?.name, step?.parentSpanId]),
    [1, 2].flatMap(() => [
      ['rpc version', undefined],
      ['GET /api/checkouts', undefined],
    ]),
  )
  assert.equal(new Set(firsts.map((step) => step?.traceId)).size, ids.length)
})

test('a collector that accepts nothing affects no request, and is reported once', async (t) => {
  const collector = await openCollector(t)
  collector.answerWith(400)
  const gateway = await openGateway(t, settingsFor(collector, '1'))
  const lost = async () =>
    Number(/gateway_trace_steps_total\{outcome="lost"\} (\d+)/.exec(await readMetrics(gateway))?.[1] ?? 0)
  const lines = () =>
    gateway
      .log()
      .split('\n')
      .filter((line) => line.includes('traces.export'))
  for (let batch = 1, before = 0; batch <= 2; batch++) {
    assert.equal((await gateway.call('version')).status, 200)
    await until(async () => (await lost()) > before)
    before = await lost()
  }
  assert.equal(lines().length, 1, lines().join('\n'))
  assert.match(lines()[0]!, /The collector of traces takes nothing \(400\)/)
  collector.answerWith(200)
  const { headers } = await gateway.call('version')
  await until(() => collector.traceOf(headers['x-request-id']).length > 0)
  await until(() => gateway.log().includes('traces_taken_again'))
})

test('a gateway stops in time although its collector is gone, and reports what is lost', async (t) => {
  const gateway = await openGateway(t, settingsFor({ url: 'http://127.0.0.1:1' }, '1'))
  assert.equal((await gateway.call('version')).status, 200)
  const startedAt = performance.now()
  await gateway.close()
  assert.ok(performance.now() - startedAt < 30_000)
  assert.match(gateway.log(), /The collector of traces takes nothing/)
})

test('without a collector nothing that makes traces is loaded', async (t) => {
  const folder = openFolder(t)
  const list = join(folder, 'loaded')
  const probe = join(folder, 'probe.mjs')
  writeFileSync(
    probe,
    `import { appendFileSync } from 'node:fs'
     import { registerHooks } from 'node:module'
     const note = (url) => appendFileSync(${JSON.stringify(list)}, url + '\\n')
     registerHooks({ load: (url, context, next) => (note(url), next(url, context)) })`,
  )
  const loads = async (env: Record<string, string>) => {
    writeFileSync(list, '')
    const NODE_OPTIONS = `--import ${pathToFileURL(probe).href}`
    const gateway = await start(t, { DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'error', NODE_OPTIONS, ...env })
    assert.equal((await gateway.stop()).code, 0)
    const files = readFileSync(list, 'utf8')
      .split('\n')
      .filter((url) => url.startsWith('file:'))
    return files.filter((url) => readFileSync(new URL(url), 'utf8').includes('node_modules/@opentelemetry/sdk-trace/'))
  }
  assert.deepEqual(await loads({}), [])
  assert.notDeepEqual(await loads({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }), [])
})
