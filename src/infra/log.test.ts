import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../../test/support/until.ts'
import { openLog, openOutput, openRequestLog } from './log.ts'

const LINES = [
  { requestId: '1f0cb2de-3', action: 'account_balance', status: 200, cache: 'hit', caller: 'anonymous', ms: 0.1 },
  { requestId: '1f0cb2de-zz', action: 'rpc_credits', status: 499, cache: undefined, caller: 'account', ms: 12 },
  { requestId: '1f0cb2de-1', action: 'unknown', status: 200, cache: 'coalesced', caller: undefined, ms: 0 },
]

function openWritten(level: string) {
  const written: string[] = []
  const log = openLog(level, { write: (line: string) => void written.push(line) })
  return { written, log, logRequest: openRequestLog(log) }
}

test('the line of a request is what the logger itself would write', () => {
  const { written, log, logRequest } = openWritten('info')
  for (const line of LINES) {
    logRequest(line)
    log.info(line)
    const [ours, theirs] = written.splice(0).map((text) => text.replace(/"time":\d+/, '"time":0'))
    assert.equal(ours, theirs)
  }
})

test('who asks for warnings alone gets no line for a request that went well', () => {
  const { written, logRequest } = openWritten('warn')
  for (const line of LINES) logRequest(line)
  assert.deepEqual(written, [])
})

test('a line that no other follows is written after a second, and one that comes while others are being written a second later', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'log-'))
  t.after(() => rm(folder, { recursive: true }))
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const dest = join(folder, 'log')
  const log = openLog('info', openOutput({ minLength: 4_096, dest }))
  const has = async (what: string) => (await readFile(dest, 'utf8').catch(() => '')).includes(what)
  log.info('alone')
  await new Promise(setImmediate)
  assert.equal(await has('alone'), false)
  t.mock.timers.tick(1_000)
  await until(() => has('alone'))

  log.info(`much ${'x'.repeat(5_000)}`)
  log.info('after it')
  t.mock.timers.tick(1_000)
  await until(() => has('much'))
  assert.equal(await has('after it'), false)
  t.mock.timers.tick(1_000)
  await until(() => has('after it'))
})
