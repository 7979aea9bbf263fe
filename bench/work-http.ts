/*
 * Measures work as callers get it: over HTTP, from a gateway started as operators start it, with all GPUs of the machine and the thresholds of the live
 * network. Run it as `npm run bench -- work-http`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { systemRandom } from '../src/infra/random.ts'
import { bytesToHex } from '../src/kernel/nano/hex.ts'
import { WORK_THRESHOLDS, workValue } from '../src/kernel/nano/work.ts'

const PORT = 18_080
const SENDS = 300
const RECEIVES = 10_000
const AT_ONCE = 32
const CANCELS = 100
/** The highest difficulty that the gateway accepts: a GPU needs some seconds. */
const HARDEST = 'ffffffffe0000000'
/** Time for drivers to compile and be measured, one after the other. */
const SETTLE_MILLISECONDS = 10_000

const { send, receive } = WORK_THRESHOLDS.live
const agent = new Agent({ keepAlive: true, maxSockets: 2 * AT_ONCE })
const newRoot = () => bytesToHex(systemRandom.bytes(32))
const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function call(body: object): Promise<Record<string, string>> {
  const text = JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const sent = request({ port: PORT, host: '127.0.0.1', method: 'POST', agent, headers }, (response) => {
      let answer = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => (answer += piece))
      response.on('end', () => resolve(JSON.parse(answer) as Record<string, string>))
    })
    sent.on('error', reject)
    sent.end(text)
  })
}

/** Power draw of the GPU meanwhile, in watts, if its driver reports it. */
async function whileMetered<T>(run: () => Promise<T>): Promise<{ result: T; watts: number | undefined }> {
  const meter = spawn('nvidia-smi', ['--query-gpu=power.draw', '--format=csv,noheader,nounits', '-lms', '200'])
  const readings: number[] = []
  meter.stdout.on('data', (text: Buffer) => readings.push(...text.toString().trim().split('\n').map(Number)))
  const over = once(meter, 'close').catch(() => undefined)
  const result = await run()
  meter.kill()
  await over
  return { result, watts: readings.length > 0 ? mean(readings) : undefined }
}

let invalid = 0

/** Milliseconds until the work is found. */
async function timeOne(subtype: 'send' | 'receive'): Promise<number> {
  const hash = newRoot()
  const started = performance.now()
  const { work, error } = await call({ action: 'work_generate', hash, subtype })
  const took = performance.now() - started
  if (error !== undefined) throw new Error(error)
  if (workValue(hash, work!) < (subtype === 'send' ? send : receive)) invalid++
  return took
}

async function timeMany(subtype: 'send' | 'receive', count: number, atOnce: number): Promise<number[]> {
  const times: number[] = []
  let left = count
  const ask = async () => {
    while (left-- > 0) times.push(await timeOne(subtype))
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  return times
}

/** Milliseconds from the cancel until the waiting caller has its answer. */
async function timeCancel(): Promise<number> {
  const hash = newRoot()
  const waiting = call({ action: 'work_generate', hash, difficulty: HARDEST })
  await delay(20)
  const started = performance.now()
  const cancelling = call({ action: 'work_cancel', hash })
  const { error } = await waiting
  const took = performance.now() - started
  await cancelling
  return error === 'Cancelled' ? took : Number.NaN
}

const folder = mkdtempSync(join(tmpdir(), 'bench-work-'))
const gateway = spawn(process.execPath, ['bin/nano-gateway.cjs', 'start'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...process.env,
    PORT: String(PORT),
    METRICS: 'false',
    DATA_DIR: folder,
    NODE_URLS: 'devnet:',
    DEVNET_WORK: 'live',
    DEVNET_PORT: '0',
    DEVNET_WS_PORT: '0',
    LIMIT_ANONYMOUS_PER_MINUTE: '0',
    LIMIT_ANONYMOUS_CONCURRENCY: '0',
    FREE_WORK_ANONYMOUS_PER_HOUR: '0',
    X402_ACTIONS: '',
  },
})
try {
  const ready: string[] = []
  const lines = createInterface(gateway.stdout)
  lines.on('line', (line) => {
    if (line.includes('work_source_ready') || line.includes('work_failure')) ready.push(line)
  })
  await delay(SETTLE_MILLISECONDS)
  console.log(ready.join('\n'))
  await timeMany('receive', 200, 4)
  const rows: [string, string][] = []
  const { result: sends, watts } = await whileMetered(() => timeMany('send', SENDS, 1))
  rows.push([`send, one after the other, mean / p50 / p99 of ${SENDS}`, three(sends)])
  if (watts !== undefined)
    rows.push(['energy of a send', `${((watts * mean(sends)) / 1000).toFixed(1)} J, ${watts.toFixed(0)} W`])
  const receives = await timeMany('receive', 1_000, 1)
  rows.push(['receive, one after the other, mean / p50 / p99 of 1,000', three(receives)])
  const begun = performance.now()
  const many = await timeMany('receive', RECEIVES, AT_ONCE)
  const seconds = (performance.now() - begun) / 1000
  rows.push([`receives a second, ${AT_ONCE} at once`, `${Math.round(RECEIVES / seconds)}, each ${three(many)}`])
  const cancels: number[] = []
  for (let done = 0; done < CANCELS; done++) cancels.push(await timeCancel())
  rows.push([`cancel to the answer, mean / p50 / p99 of ${CANCELS}`, three(cancels)])
  rows.push([`invalid of ${SENDS + RECEIVES + 1_200}`, String(invalid)])
  console.log('\n| over HTTP | |\n|---|---|')
  for (const [what, value] of rows) console.log(`| ${what} | ${value} |`)
} finally {
  gateway.kill('SIGTERM')
  await once(gateway, 'exit')
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)

function three(times: readonly number[]): string {
  return `${[mean(times), quantile(times, 0.5), quantile(times, 0.99)].map((time) => time.toFixed(2)).join(' / ')} ms`
}
