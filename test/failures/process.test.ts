import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { logOf, start } from '../start/process.ts'
import { openFolder } from '../support/folder.ts'
import { ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { BACKGROUND, ERROR, readSeries } from './reported.ts'

/** Loaded into the process like our own code: one signal makes it reject a promise without a handler, another makes it throw. */
const FAULTY = `data:text/javascript,${encodeURIComponent(`
  process.on('SIGUSR2', () => { Promise.reject(new Error('forgotten promise')) })
  process.on('SIGHUP', () => { throw new Error('thrown by nobody in particular') })
`)}`

const startGateway = (t: TestContext) => start(t, { DATA_DIR: openFolder(t), NODE_OPTIONS: `--import ${FAULTY}` })

test('after an unhandled rejection the process continues, with a log line and an alarm', async (t) => {
  const { pid, url, metricsUrl, stop } = await startGateway(t)
  process.kill(pid, 'SIGUSR2')
  await until(async () => {
    const { text } = await ask(metricsUrl, { method: 'GET' })
    return readSeries(text, BACKGROUND, { place: 'process', kind: 'alarm' }) === 1
  })
  assert.equal((await ask(url, { body: '{"action":"block_count"}' })).status, 200)
  const line = logOf(await stop()).find(({ event }) => event === 'background_failure')
  assert.deepEqual([line?.level, line?.place, line?.kind, line?.doing], [ERROR, 'process', 'alarm', 'rejection'])
  assert.match(line!.error!, /forgotten promise/)
})

test('an uncaught exception is reported, and the process shuts down in order with a failure code', async (t) => {
  const { pid, ended } = await startGateway(t)
  process.kill(pid, 'SIGHUP')
  const { code, output } = await ended
  assert.equal(code, 1)
  assert.deepEqual(
    logOf(await ended)
      .filter(({ event, place }) => event === 'background_failure' && place === 'process')
      .map(({ place, kind, doing }) => [place, kind, doing]),
    [['process', 'alarm', 'exception']],
  )
  assert.match(output, /"event":"draining"[^]*"event":"stopped"/)
})
