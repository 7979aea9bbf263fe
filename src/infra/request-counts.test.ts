import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, Histogram, Registry } from 'prom-client'
import { Metrics } from './metrics.ts'
import { RequestCounts } from './request-counts.ts'

const REQUESTS = [
  ['account_balance', 200, 0.0004],
  ['account_balance', 200, 0.0005],
  ['account_balance', 429, 0.07],
  ['process', 200, 12.5],
  ['unknown', 400, 0],
] as const

test('dashboards and alerts read the same lines as from the library that counted before', async () => {
  const ours = new Registry()
  const counts = new RequestCounts(ours)
  const theirs = new Registry()
  const registers = [theirs]
  const requests = new Counter({
    name: 'gateway_requests_total',
    help: 'RPC requests by action and status.',
    labelNames: ['action', 'status'],
    registers,
  })
  const duration = new Histogram({
    name: 'gateway_request_seconds',
    help: 'Time to answer an RPC request.',
    labelNames: ['action'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const help = 'Where answers came from.'
  const cache = new Counter({ name: 'gateway_cache_total', help, labelNames: ['result'], registers })
  const reads = new Counter({
    name: 'gateway_upstream_reads_total',
    help: 'Answers by node.',
    labelNames: ['upstream', 'hedged'],
    registers,
  })
  assert.equal(await ours.metrics(), await theirs.metrics(), 'before anything was counted')
  for (const [action, status, seconds] of REQUESTS) {
    counts.request(action, status, seconds)
    requests.inc({ action, status: String(status) })
    duration.observe({ action }, seconds)
  }
  for (const result of ['miss', 'hit', 'hit', 'coalesced']) {
    counts.cacheResult(result)
    cache.inc({ result })
  }
  for (const hedged of [false, false, true]) {
    counts.upstreamRead('node-1', hedged)
    reads.inc({ upstream: 'node-1', hedged: String(hedged) })
  }
  assert.equal(await ours.metrics(), await theirs.metrics())
  assert.equal(await ours.metrics(), await theirs.metrics(), 'to read them counts nothing')
})

test('with metrics switched off nothing is counted', async () => {
  const metrics = new Metrics({ counting: false })
  metrics.request('account_balance', 200, 0.001)
  metrics.cacheResult('hit')
  metrics.upstreamRead('node-1', false)
  assert.doesNotMatch(await metrics.text(), /account_balance|gateway_request|nodejs_/)
})
