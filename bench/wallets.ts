/*
 * Measures sends from cloud wallets on this machine: a whole gateway with its embedded ledger, in one process, asked over
 * HTTP. Every send is signed, worked for at the thresholds of the development network, committed, published, checked by the
 * ledger and confirmed before the next one of its wallet. Run it as `npm run bench:wallets`; it takes about a minute.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Pool } from 'undici'
import { type App, startApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import { systemClock } from '../src/infra/clock.ts'
import { systemRandom } from '../src/infra/random.ts'
import { parseNano } from '../src/kernel/money.ts'
import { fromAddress, toAddress } from '../src/kernel/nano/address.ts'
import { deriveKey, publicKeyOf } from '../src/kernel/nano/keys.ts'
import { createDatabase } from '../test/support/postgres.ts'

const WALLETS = [1, 16, 64]
const SECONDS = 5
const EXPIRING = 200
const SHOP = toAddress(publicKeyOf(deriveKey('B'.repeat(64), 0)))

type Ask = <T = Record<string, string>>(parameters: object) => Promise<T>

async function makeWallets(app: App, ask: Ask, count: number, terms: object = {}): Promise<string[]> {
  const made = await Promise.all(Array.from({ length: count }, () => ask(terms)))
  const addresses = made.map(({ address }) => address!)
  for (const address of addresses) await app.devnet!.node.fund(fromAddress(address)!, parseNano('1000')!)
  return addresses
}

/** Each wallet sends one after another; answers sends a second and the median time of one. */
async function benchSends(app: App, ask: Ask, count: number): Promise<{ perSecond: number; median: number }> {
  const wallets = await makeWallets(app, ask, count)
  await Promise.all(wallets.map((account) => ask({ receive: true, account })))
  const times: number[] = []
  const started = performance.now()
  const end = started + SECONDS * 1_000
  await Promise.all(
    wallets.map(async (account) => {
      for (let begun = performance.now(); begun < end; begun = performance.now()) {
        await ask({ send: SHOP, amount: '0.001', account })
        times.push(performance.now() - begun)
      }
    }),
  )
  const perSecond = (times.length / (performance.now() - started)) * 1_000
  return { perSecond, median: times.sort((a, b) => a - b)[times.length >> 1]! }
}

/** Wallets deleted together: each receives a deposit and sends it to its refund address. */
async function benchEndings(app: App, ask: Ask): Promise<number> {
  const wallets = await makeWallets(app, ask, EXPIRING, { refund_address: SHOP })
  const started = performance.now()
  await Promise.all(wallets.map((account) => ask({ delete: true, account })))
  const open = () => app.store.db.selectFrom('wallets').select('id').where('status', '=', 'expiring').execute()
  while ((await open()).length > 0) await new Promise((resolve) => setImmediate(resolve))
  return (performance.now() - started) / 1_000
}

async function benchStore(name: string, databaseUrl: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-bench-'))
  const limits = ['LIMIT_FREE_PER_MINUTE', 'LIMIT_FREE_CONCURRENCY', 'FREE_SENDS_PER_MONTH', 'DEVNET_TREASURY_NANO']
  const config = loadConfig({
    PORT: '0',
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    ...Object.fromEntries(limits.map((limit) => [limit, '0'])),
  })
  const app = await startApp(config, { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) })
  const client = new Pool(app.url, { connections: 256 })
  const ask: Ask = async <T>(parameters: object) => {
    const body = JSON.stringify({ action: 'cloud_wallet', key: app.createdKey, ...parameters })
    const response = await client.request({ method: 'POST', path: '/', body })
    const answer = (await response.body.json()) as T
    if (response.statusCode !== 200) throw new Error(JSON.stringify(answer))
    return answer
  }
  try {
    for (const count of WALLETS) {
      const { perSecond, median } = await benchSends(app, ask, count)
      console.log(`| sends, ${count} wallets at once | ${name} | ${perSecond.toFixed(1)} | ${median.toFixed(0)} |`)
    }
    const seconds = await benchEndings(app, ask)
    const blocks = 2 * EXPIRING
    console.log(
      `| ${EXPIRING} endings at once | ${name} | ${(blocks / seconds).toFixed(1)} blocks | ${seconds.toFixed(1)} s |`,
    )
  } finally {
    await client.destroy()
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

console.log('| operation | store | per second | median ms |\n|---|---|---:|---:|')
await benchStore('SQLite', '')
await benchStore('PostgreSQL', await createDatabase())
