import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LocalNotices } from '../../src/infra/db/notices.ts'
import { StoreHealth } from '../../src/infra/db/store-failure.ts'
import { Nodes } from '../../src/infra/node/index.ts'
import { noNode, storeAway } from '../../src/kernel/errors.ts'
import { FAILURES, LOSSES, isOutage } from '../../src/kernel/failures.ts'
import type { Confirmation } from '../../src/kernel/ports.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { DEBUG, ERROR, WARNING, openReporter } from './reported.ts'
import { testRandom } from '../support/random.ts'

/* What operators learn of background failures: log lines and metrics. */

test('an error in the gateway itself where money is moved is one log line with its place and one alarm, by whoever meets it first', async () => {
  const reporter = openReporter()
  const error = new Error('A signature was computed wrongly.')
  reporter.failed('wallets.pass', { walletId: 'wal_1' })(error)
  reporter.failed('jobs.money', { job: 'wallets.settle' })(error)
  const [line, ...more] = reporter.lines()
  assert.deepEqual(more, [])
  assert.deepEqual([line!.level, line!.place, line!.kind, line!.walletId], [ERROR, 'wallets.pass', 'alarm', 'wal_1'])
  assert.match(line!.error, /A signature was computed wrongly\.\n +at /)
  assert.equal(await reporter.count('wallets.pass', 'alarm'), 1)
  assert.equal(await reporter.count('jobs.money', 'alarm'), 0)
})

test('a node or store that is down raises no alarm here: it is a warning, counted separately', async () => {
  const reporter = openReporter()
  const lost = new StoreHealth().judge(Object.assign(new Error('terminating connection'), { code: '57P01' }))
  for (const error of [noNode(), storeAway(new Error('x')), lost, new Error('later', { cause: noNode() })]) {
    assert.ok(isOutage(error), String(error))
    reporter.failed('checkout.monitor', { doing: 'scan' })(error)
  }
  assert.ok(reporter.lines().every(({ level, kind }) => level === WARNING && kind === 'outage'))
  assert.equal(reporter.lines()[0]!.error, 'No node available. Try again in a few seconds.')
  assert.equal(await reporter.count('checkout.monitor', 'outage'), 4)
  assert.equal(await reporter.count('checkout.monitor', 'alarm'), 0)
  // An uncaught error is a defect of ours, even if a dependency was unreachable.
  reporter.failed('process')(noNode())
  assert.match(reporter.lines().at(-1)!.error, /No node available.*\n +at /)
  assert.equal(await reporter.count('process', 'alarm'), 1)
})

test('a loss is named with its place and counted, and does not fill the log', async () => {
  const reporter = openReporter()
  reporter.lost('wallets.lease')(new Error('away'))
  assert.deepEqual(
    reporter.lines().map(({ level, place, kind }) => [level, place, kind]),
    [[DEBUG, 'wallets.lease', 'loss']],
  )
  assert.equal(await reporter.count('wallets.lease', 'loss'), 1)
})

test('a storm of failures does not fill the disk, and none of it is missing from the count', async () => {
  const reporter = openReporter()
  for (let at = 0; at < 5_000; at++)
    reporter.failed('wallets.pass', { walletId: `wal_${at}` })(new Error(`broken ${at}`))
  assert.equal(reporter.lines().length, 20)
  assert.equal(await reporter.count('wallets.pass', 'alarm'), 5_000)
  // A failure at another place is still reported.
  reporter.failed('checkout.monitor')(new Error('broken'))
  assert.equal(reporter.lines().at(-1)!.place, 'checkout.monitor')
  reporter.clock.advance(60_000)
  reporter.failed('wallets.pass')(new Error('again'))
  assert.equal(reporter.lines().at(-1)!.suppressed, 4_980)
})

test('text quoted in a parser’s error stays out of the log', () => {
  const reporter = openReporter()
  const secret = 'rpc_sk_SECRET'
  try {
    JSON.parse(`{"key": ${secret}}`)
  } catch (error) {
    reporter.failed('jobs.other')(new Error('unreadable', { cause: error }))
  }
  const [line] = reporter.lines()
  assert.match(line!.error, /caused by SyntaxError\n +at JSON\.parse/)
  assert.ok(!line!.error.includes('rpc_sk'))
})

test('every series is there before its first failure, or the first would be no increase', async () => {
  const reporter = openReporter()
  for (const [place, stake] of Object.entries(FAILURES)) {
    assert.equal(await reporter.count(place, stake === 'money' ? 'alarm' : 'failure'), 0, place)
  }
  for (const place of Object.keys(LOSSES)) assert.equal(await reporter.count(place, 'loss'), 0, place)
})

test('a listener that throws neither keeps others from hearing of a confirmation nor breaks the stream', async (t) => {
  const reporter = openReporter()
  const nodes = new Nodes({
    upstreams: [],
    ledger: { network: 'dev', genesis: undefined, thresholds: WORK_THRESHOLDS.dev },
    agreement: { nodes: 1, above: [], alone: 'wait', waitMilliseconds: 10_000 },
    onDisagreement: () => undefined,
    cacheBytesMax: 0,
    clock: reporter.clock,
    random: testRandom,
    failures: reporter,
  })
  t.after(() => nodes.close())
  const heard: string[] = []
  nodes.confirmations.listen(() => assert.fail('broken'))
  nodes.confirmations.listen(({ hash }) => void heard.push(hash))
  const confirmation: Confirmation = { hash: 'A', account: '', amount: '0', block: {}, type: '', time: '0' }
  nodes.receive(confirmation)
  assert.deepEqual(heard, ['A'])
  assert.equal(await reporter.count('confirmations.listener', 'alarm'), 1)
})

test('a listener that throws neither keeps a notification from others nor fails its sender', async () => {
  const reporter = openReporter()
  const notices = new LocalNotices(reporter)
  const heard: string[] = []
  notices.subscribe('wallet', () => assert.fail('broken'))
  notices.subscribe('wallet', (payload) => void heard.push(payload))
  notices.publish('wallet', 'a b')
  assert.deepEqual(heard, ['a b'])
  assert.equal(reporter.lines()[0]!.doing, 'wallet')
})

test('every place, every reason and every alarm is written down for operators', () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
  const guide = read('docs/operating/failures.md')
  for (const [place, stake] of Object.entries(FAILURES)) {
    assert.ok(guide.includes(`| \`${place}\` | ${stake === 'money' ? 'yes' : ''} |`), place)
  }
  for (const [place, reason] of Object.entries(LOSSES)) assert.ok(guide.includes(`| \`${place}\` | ${reason} |`), place)
  const [, group] = read('deploy/prometheus/alerts.yml').split('- name: nano-gateway-background')
  const alarms = [...group!.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)
  assert.deepEqual(alarms, ['MoneyAlarm', 'BackgroundFailing', 'BackgroundOutage', 'LossesMany', 'RestartsOften'])
  for (const kind of ['alarm', 'failure', 'outage', 'loss']) assert.ok(group!.includes(`kind="${kind}"`), kind)
})
