import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { CLI } from '../support/command-line.ts'
import { ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { BACKGROUND, ERROR, readLines, readSeries } from './told.ts'
import { openFolder } from '../support/folder.ts'

/** Lives in the process like any code of ours: one signal makes it forget a promise, another makes it throw. */
const FAULTY = `data:text/javascript,${encodeURIComponent(`
  process.on('SIGUSR2', () => { Promise.reject(new Error('forgotten promise')) })
  process.on('SIGHUP', () => { throw new Error('thrown by nobody in particular') })
`)}`

async function startGateway(t: TestContext) {
  const folder = openFolder(t)
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: folder,
    PORT: '0',
    METRICS_PORT: '0',
    DEVNET_PORT: '0',
    DEVNET_WS_PORT: '0',
    WORK_THREADS: '0',
    WORK_NODES: 'true',
    PRICE_PROVIDERS: 'sandbox',
  }
  const child = spawn(process.execPath, ['--import', FAULTY, CLI, 'start'], { env })
  t.after(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
  }
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>
  await until(() => {
    assert.equal(child.exitCode, null, printed)
    return printed.includes('Try it:')
  })
  const logged = () =>
    readLines(
      printed
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .join('\n'),
    )
  const addressOf = (what: string) => new RegExp(`${what}\\s+(\\S+)`).exec(printed)![1]!
  return { child, ended, logged, printed: () => printed, url: addressOf('RPC'), metricsUrl: addressOf('Metrics') }
}

test('a promise that nobody waited for failed: the process lives on, with a line and an alarm', async (t) => {
  const { child, logged, url, metricsUrl } = await startGateway(t)
  child.kill('SIGUSR2')
  await until(() => logged().length > 0)
  const [line] = logged()
  assert.deepEqual([line!.level, line!.place, line!.kind, line!.doing], [ERROR, 'process', 'alarm', 'rejection'])
  assert.match(line!.error, /forgotten promise/)
  const { text } = await ask(metricsUrl, { method: 'GET' })
  assert.equal(readSeries(text, BACKGROUND, { place: 'process', kind: 'alarm' }), 1)
  assert.equal((await ask(url, { body: '{"action":"block_count"}' })).status, 200)
})

test('an exception that nobody caught is told, and the process ends in order and as failed', async (t) => {
  const { child, ended, logged, printed } = await startGateway(t)
  child.kill('SIGHUP')
  const [code] = await ended
  assert.equal(code, 1)
  assert.deepEqual(
    logged()
      .filter(({ place }) => place === 'process')
      .map(({ place, kind, doing }) => [place, kind, doing]),
    [['process', 'alarm', 'exception']],
  )
  assert.match(printed(), /"event":"draining"[^]*"event":"stopped"/)
})
