/*
 * Measures checkouts on this machine while more and more of them are open: how many are made a second over HTTP, how
 * long a confirmation takes until the checkout is complete, and how much memory the process holds. Half of the checkouts
 * share one address and differ by their amounts, the others have an address each. Run it as `npm run bench -- latency`;
 * `SIZES=1000,10000 STORE=postgres` change it. It cleans up after itself.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Pool } from 'undici'
import { startApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import { startDevnet } from '../src/devnet/index.ts'
import { systemClock } from '../src/infra/clock.ts'
import { systemRandom } from '../src/infra/random.ts'
import type { Raw } from '../src/kernel/money.ts'
import { fromAddress, toAddress } from '../src/kernel/nano/address.ts'
import { bytesToHex } from '../src/kernel/nano/hex.ts'
import { Signer } from '../test/support/blocks.ts'
import { createDatabase } from '../test/support/postgres.ts'

const SIZES = (process.env.SIZES ?? '1000,10000,100000').split(',').map(Number)
const CALLERS = 32
const PAID_ALONE = 200
const PAID_TOGETHER = 200

const shared = new Signer(1).address
const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-bench-'))
const ledger = await startDevnet({ file: ':memory:', clock: systemClock, random: systemRandom })
const config = loadConfig({
  PORT: '0',
  METRICS_PORT: '0',
  DATA_DIR: folder,
  NODE_URLS: ledger.rpcUrl,
  NODE_WS_URLS: ledger.wsUrl,
  NODE_NETWORK: 'dev',
  WORK_THREADS: '0',
  LIMIT_FREE_PER_MINUTE: '0',
  LIMIT_FREE_CONCURRENCY: '0',
  CHECKOUT_OPEN_MAX: '0',
  ...(process.env.STORE === 'postgres' && { DATABASE_URL: await createDatabase() }),
})
const app = await startApp(config, { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) })
const client = new Pool(app.url, { connections: CALLERS })

interface Made {
  id: string
  address: string
  amountRaw: Raw
}

let made = 0

async function open(): Promise<Made> {
  const fields =
    made++ % 2 === 0
      ? { address: shared, amount: '10' }
      : { address: toAddress(bytesToHex(systemRandom.bytes(32))), amount: '1', mode: 'unique_address' }
  const { statusCode, body } = await client.request({
    method: 'POST',
    path: '/',
    headers: { authorization: `Bearer ${app.createdKey}` },
    body: JSON.stringify({ action: 'checkout', ...fields }),
  })
  const answer = (await body.json()) as Record<string, string>
  if (statusCode !== 200) throw new Error(`${statusCode} ${JSON.stringify(answer)}`)
  return { id: answer.id!, address: answer.address!, amountRaw: BigInt(answer.amount_raw!) as Raw }
}

/** Opens checkouts until there are so many; answers how many a second, and the last ones. */
async function grow(size: number): Promise<{ perSecond: number; last: Made[] }> {
  const before = made
  const started = performance.now()
  const last: Made[] = []
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (made < size) {
        const checkout = await open()
        if (size - made < PAID_ALONE + PAID_TOGETHER) last.push(checkout)
      }
    }),
  )
  return { perSecond: ((made - before) / (performance.now() - started)) * 1000, last }
}

const confirmedAt = new Map<string, number>()
ledger.node.listen((event) => {
  if (event.kind === 'confirmed') confirmedAt.set(event.stored.hash, performance.now())
})
const completedAt = new Map<string, number>()
const waiting = new Map<string, () => void>()
app.store.notices.subscribe('checkout', (id) => {
  if (!completedAt.has(id)) completedAt.set(id, performance.now())
  waiting.get(id)?.()
})

async function pay({ id, address, amountRaw }: Made): Promise<number> {
  const told = new Promise<void>((resolve) => waiting.set(id, resolve))
  const hash = await ledger.node.fund(fromAddress(address)!, amountRaw)
  await told
  waiting.delete(id)
  return completedAt.get(id)! - confirmedAt.get(hash)!
}

const percentile = (times: number[], part: number) =>
  times.sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))]!.toFixed(1)

try {
  console.log('| open | made a second | alone, p50 ms | p99 ms | together, p50 ms | p99 ms | heap MB | resident MB |')
  console.log('|---:|---:|---:|---:|---:|---:|---:|---:|')
  for (const size of SIZES) {
    const { perSecond, last } = await grow(size)
    const alone: number[] = []
    for (const checkout of last.slice(0, PAID_ALONE)) alone.push(await pay(checkout))
    const together = await Promise.all(last.slice(PAID_ALONE, PAID_ALONE + PAID_TOGETHER).map(pay))
    globalThis.gc?.()
    const { heapUsed, rss } = process.memoryUsage()
    const megabytes = [heapUsed, rss].map((bytes) => Math.round(bytes / 2 ** 20))
    const times = [alone, together].flatMap((all) => [percentile(all, 0.5), percentile(all, 0.99)])
    console.log(`| ${size} | ${Math.round(perSecond)} | ${times.join(' | ')} | ${megabytes.join(' | ')} |`)
  }
} finally {
  await client.destroy()
  await app.close()
  await ledger.close()
  rmSync(folder, { recursive: true, force: true })
}
