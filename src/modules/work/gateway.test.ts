import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createWorkServer, readWorkKeys } from '../../http/work-server.ts'
import { systemClock } from '../../infra/clock.ts'
import { openCpuEngine } from '../../infra/work/cpu.ts'
import { Scheduler } from '../../infra/work/scheduler.ts'
import { WORK_THRESHOLDS, workValue } from '../../kernel/nano/work.ts'
import { type Gateway, ask, openGateway, readMetrics } from '../../../test/support/gateway.ts'
import { openFolder } from '../../../test/support/folder.ts'
import { newHash, testRandom } from '../../../test/support/random.ts'

const OWN_THREADS = { WORK_THREADS: '1', WORK_NODES: 'false' }

interface WorkResult {
  hash: string
  work: string
  difficulty: string
  cached: boolean
  credits: number
}

/** A gateway for the live network whose node is unavailable, because work needs no node. */
const openLive = (t: TestContext, env: Record<string, string> = {}) =>
  openGateway(t, { ...OWN_THREADS, NODE_URLS: 'http://127.0.0.1:1', WORK_WAIT_SECONDS_MAX: '540', ...env })

async function metric(gateway: Gateway, name: string): Promise<number> {
  return (await readMetrics(gateway))
    .split('\n')
    .filter((line) => line.startsWith(name))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

async function listenOn(t: TestContext, server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A machine that computes work for others, and its engines. */
async function openWorkServer(t: TestContext, more: (searches: Scheduler) => object = () => ({})): Promise<string> {
  const engine = await openCpuEngine({ threads: 1, random: testRandom })
  const searches = new Scheduler({ engines: [engine], clock: systemClock, queueSecondsMax: 60, waitSecondsMax: 60 })
  t.after(() => searches.close())
  const onError = (error: unknown) => assert.fail(String(error))
  const base = { clock: systemClock, thresholds: WORK_THRESHOLDS.dev, searches, onError }
  return listenOn(t, createWorkServer({ ...base, ...more(searches) }))
}

test('50 identical requests at once cause one search', async (t) => {
  const gateway = await openGateway(t, OWN_THREADS)
  const hash = newHash()
  const replies = await Promise.all(Array.from({ length: 50 }, () => gateway.call('work_generate', { hash })))
  const results = replies.map(({ json }) => json<WorkResult>())
  assert.equal(new Set(results.map(({ work }) => work)).size, 1)
  assert.ok(workValue(hash, results[0]!.work) >= WORK_THRESHOLDS.dev.send)
  // Two searches would begin at different nonces. A caller directly after the first gets its answer from memory, and is
  // not counted.
  const found = await metric(gateway, 'gateway_work_found_total')
  const hits = await metric(gateway, 'gateway_work_hits_total')
  assert.ok(found >= 1 && found + hits <= 50, `${found} waited, ${hits} came later`)
})

test('when the only peer dies in the midst of a search, this machine finds the work (contract 4.1, rule 15)', async (t) => {
  const peer = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.destroy())
  })
  const gateway = await openLive(t, { WORK_URLS: await listenOn(t, peer) })
  const hash = newHash()
  // So hard that the peer, which is assumed to be fast, is asked first.
  const reply = await gateway.call('work_generate', { hash, difficulty: 'fffffe0000000000' })
  assert.equal(reply.status, 200, reply.text)
  assert.ok(workValue(hash, reply.json<WorkResult>().work) >= WORK_THRESHOLDS.live.receive)
  assert.ok((await metric(gateway, 'gateway_work_failures_total')) >= 1)
})

test('a spare machine that runs the work server computes for the gateway', async (t) => {
  const url = await openWorkServer(t)
  const gateway = await openGateway(t, { WORK_THREADS: '0', WORK_NODES: 'false', WORK_URLS: url })
  const hash = newHash()
  const { work } = (await gateway.call('work_generate', { hash })).json<WorkResult>()
  assert.ok(workValue(hash, work) >= WORK_THRESHOLDS.dev.send)

  const post = (body: object) => ask(url, { body: JSON.stringify(body) })
  const valid = (await post({ action: 'work_validate', hash, work })).json()
  assert.equal(valid.valid_all, '1')
  assert.deepEqual((await post({ action: 'work_cancel', hash })).json(), { success: '' })
  const status = (await post({ action: 'status' })).json()
  assert.deepEqual([status.generating, status.queue_size], ['0', '0'])
  assert.ok(Number(status.hashes_per_second) > 0)
  const refused = await post({ action: 'account_balance' })
  assert.deepEqual([refused.status, refused.json().error], [400, 'Bad action provided.'])
  const wrong = await post({ action: 'work_generate', hash: 'zz' })
  assert.deepEqual([wrong.status, wrong.json().error, wrong.json().field], [400, 'Invalid block hash', 'hash'])
  assert.equal((await post({ action: 'work_generate', hash, difficulty: '0000000000000001' })).status, 400)
})

test('a work server with keys computes for those who have one, each with a share of its own', async (t) => {
  const file = join(openFolder(t), 'keys')
  writeFileSync(file, '# who may use it\nshop  0123456789abcdef0\n\ncafe  fedcba98765432100\n')
  const payers: string[] = []
  const url = await openWorkServer(t, (searches) => {
    const search: Scheduler['search'] = (request) => {
      payers.push(request.payer)
      return searches.search(request)
    }
    const cancel: Scheduler['cancel'] = (...of) => searches.cancel(...of)
    return { searches: { load: searches.load, engines: searches.engines, cancel, search }, payers: readWorkKeys(file) }
  })
  const body = JSON.stringify({ action: 'work_generate', hash: newHash() })
  const withKey = (authorization: string) => ask(url, { body, headers: { authorization } })
  const wrong = [await ask(url, { body }), await withKey('Bearer wrong'), await withKey('Basic c2hvcDp3cm9uZw==')]
  for (const refused of wrong) {
    assert.deepEqual([refused.status, refused.json().error], [401, 'This work server requires a valid key.'])
  }
  assert.equal((await withKey('Bearer fedcba98765432100')).status, 200)
  const WORK_URLS = url.replace('http://', 'http://shop:0123456789abcdef0@')
  const gateway = await openGateway(t, { WORK_THREADS: '0', WORK_NODES: 'false', WORK_URLS })
  assert.equal((await gateway.call('work_generate', { hash: newHash() })).status, 200)
  assert.deepEqual(payers, ['cafe', 'shop'])
  writeFileSync(file, 'shop short\n')
  assert.throws(() => readWorkKeys(file), /line 1: a name and a key of at least 16 characters/)
})

test('a browser wallet that names the work server was stopped by its browser; now every answer may be read from any page', async (t) => {
  const url = await openWorkServer(t)
  const origin = 'https://wallet.example'
  const wanted = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
  const preflight = await ask(url, { method: 'OPTIONS', headers: wanted })
  assert.equal(preflight.status, 204)
  assert.match(String(preflight.headers['access-control-allow-methods']), /\bPOST\b/)
  assert.match(String(preflight.headers['access-control-allow-headers']), /\bcontent-type\b/)
  const body = JSON.stringify({ action: 'work_generate', hash: newHash() })
  const found = await ask(url, { headers: { origin }, body })
  const wrong = await ask(url, { headers: { origin }, body: '{' })
  const other = await ask(url, { method: 'GET', headers: { origin } })
  assert.deepEqual([found.status, wrong.status, other.status], [200, 400, 405])
  for (const { headers } of [preflight, found, wrong, other]) {
    assert.equal(headers['access-control-allow-origin'], '*')
  }
})
