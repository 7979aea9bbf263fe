/*
 * Sends from cloud wallets over HTTP: every send is signed, worked for at the thresholds of the development network,
 * committed, published, checked by the ledger and confirmed before the next one of its wallet. The ledger is a process of
 * its own. The peer is the arithmetic alone: signing and checking one hash, over and over, on one core.
 */
import { join } from 'node:path'
import { Pool } from 'undici'
import { deriveKey, publicKeyOf, signHash, verifyHash } from '../src/kernel/nano/keys.ts'
import { addressOf } from '../test/support/many-checkouts.ts'
import { spawnDevnet } from '../test/support/spawn-devnet.ts'
import { type Fleet, listFleets, startFleet } from './kit/fleet.ts'
import { measure } from './kit/load.ts'
import type { Options } from './kit/options.ts'
import { type Figures, type Report, STORE_NAMES, show, toTable } from './kit/report.ts'
import { Bench, buildGateway, requireTools } from './kit/servers.ts'

const SHOP = addressOf('shop')

export async function benchSends(options: Options): Promise<Report> {
  requireTools('nginx', 'redis-server')
  buildGateway()
  await using bench = new Bench()
  const figures: Figures = {}
  const rows = []
  for (const size of listFleets(options.stores, options.processes)) {
    const peer = await measurePeer()
    const ledger = await spawnDevnet(join(bench.folder, `ledger-${size.engine}-${size.processes}.db`))
    const fleet = await startFleet(bench, { ...size, nodeUrl: ledger.rpcUrl, nodeWsUrl: ledger.wsUrl })
    for (const wallets of options.quick ? [16] : [1, 16, 64]) {
      const addresses = await makeWallets(fleet, ledger.rpcUrl, wallets)
      const before = fleet.spent()
      const sent = await send(fleet, addresses, options.seconds)
      const after = fleet.spent()
      const gateway = (after.gateway - before.gateway) / sent.count
      const database = (after.database - before.database) / sent.count
      if (size.processes === 1) {
        figures[`${size.engine}Micros`] = gateway
        figures[`${size.engine}DatabaseMicros`] = database
      }
      figures[`${size.engine}${size.processes}PerSecond`] = sent.rate
      rows.push([
        STORE_NAMES[size.engine],
        size.processes,
        wallets,
        show(sent.rate),
        `${show(sent.p50)} / ${show(sent.p99)}`,
        show(peer),
        (sent.rate / peer).toFixed(2),
        show(gateway),
        database === 0 ? '–' : show(database),
      ])
    }
    await fleet.close()
    await ledger.kill()
  }
  const head = [
    'store',
    'processes',
    'wallets',
    'sends a second',
    'p50 / p99 ms',
    'bare signatures a second, made and checked',
  ]
  return { figures, tables: [toTable([...head, 'ratio', 'CPU µs, gateway', 'CPU µs, database'], rows)] }
}

async function measurePeer(): Promise<number> {
  const key = deriveKey('B'.repeat(64), 0)
  const [account, hash] = [publicKeyOf(key), 'C'.repeat(64)]
  const both = () => Promise.resolve(verifyHash(account, hash, signHash(key, hash)))
  return (await measure({ callers: 1, seconds: 1 }, both)).rate
}

/** Asks the gateways in turns, without a balancer's help: few requests, each of them long. */
async function ask(fleet: Fleet, fields: object): Promise<Record<string, string>> {
  const pool = poolOf(fleet)
  const body = JSON.stringify({ action: 'cloud_wallet', key: fleet.key, ...fields })
  const response = await pool.request({ method: 'POST', path: '/', body })
  const answer = (await response.body.json()) as Record<string, string>
  if (response.statusCode !== 200) throw new Error(JSON.stringify(answer))
  return answer
}

const pools = new WeakMap<Fleet, Pool>()

function poolOf(fleet: Fleet): Pool {
  const pool = pools.get(fleet) ?? new Pool(fleet.url, { connections: 128 })
  pools.set(fleet, pool)
  return pool
}

async function makeWallets(fleet: Fleet, ledger: string, count: number): Promise<string[]> {
  const made = await Promise.all(Array.from({ length: count }, () => ask(fleet, {})))
  const addresses = made.map(({ address }) => address!)
  for (const account of addresses) {
    const body = JSON.stringify({ action: 'devnet_fund', account, amount_nano: '1000' })
    const response = await fetch(ledger, { method: 'POST', body })
    await response.text()
  }
  await Promise.all(addresses.map((account) => ask(fleet, { receive: true, account })))
  return addresses
}

/** Each wallet sends one after another. */
function send(fleet: Fleet, wallets: readonly string[], seconds: number) {
  let next = 0
  const turns = wallets.map((account) => () => ask(fleet, { send: SHOP, amount: '0.001', account }))
  const idle = [...turns]
  return measure({ callers: wallets.length, seconds }, async () => {
    next++
    const turn = idle.shift() ?? turns[next % turns.length]!
    await turn()
    idle.push(turn)
  })
}
