import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { addressOf } from '../../test/support/many-checkouts.ts'
import { type BenchGateway, startGateway } from '../kit/gateway.ts'
import { writeRequests } from '../kit/load.ts'
import { startLedger } from './ledger-process.ts'
import { type Row, each, inTurns } from './row.ts'
import { NAMES, type World, askBare, keyFor, startBare } from './world.ts'

const WALLETS = 16
const TURN = 64
const WARM = 1_000
const WARM_TURNS = { check: 1, else: 12 }
const SHOP = addressOf('shop')

/** Sends of cloud wallets: signed, with work for the development network, published and confirmed. */
export async function costSends(world: World, engine: StoreEngine): Promise<Row[]> {
  const { bench, asker, lists, options } = world
  const count = TURN * Math.max(0.5, world.scale)
  const ledger = await startLedger(bench)
  const gateway = await startGateway(bench, { engine, nodeUrl: ledger.url, nodeWsUrl: ledger.socketUrl })
  const wallets = await Promise.all(Array.from({ length: WALLETS }, () => ask(gateway, {})))
  for (const { address } of wallets) await ledger.fund(address!, '1000')
  await Promise.all(wallets.map(({ address }) => ask(gateway, { receive: true, account: address })))
  const list = writeRequests(
    bench.folder,
    `sends-${engine}`,
    wallets.map(({ address: account }) => ({ body: { action: 'cloud_wallet', send: SHOP, amount: '0.001', account } })),
  )
  const send = async () => {
    const before = gateway.spent()
    await asker.ask({ port: gateway.port, list, count, from: 0, connections: WALLETS, headers: gateway.headers })
    return each(before, gateway.spent(), count)
  }
  const bare = await startBare(bench, 'send', ledger.url)
  const least = () => askBare(world, bare, lists.one, 4 * count, { connections: WALLETS })
  // Warm-up, so that the code is compiled.
  await askBare(world, bare, lists.one, WARM)
  for (let turns = 0; turns < WARM_TURNS[options.check ? 'check' : 'else']; turns++) await send()
  const { cost, yardstick } = await inTurns(world, keyFor('sent', engine), send, least)
  await bare.end()
  await gateway.close()
  await ledger.end()
  return [
    {
      key: keyFor('sent', engine),
      group: 'sends',
      operation: 'wallet send, development work',
      store: NAMES[engine],
      cost,
      unit: 'ms',
      yardstick: { name: '`node:http` that asks a node three times, signs twice, keeps five rows', ...yardstick },
      goal: { times: 1.6 },
    },
  ]
}

async function ask({ url, key }: BenchGateway, fields: object): Promise<Record<string, string>> {
  const body = JSON.stringify({ action: 'cloud_wallet', key, ...fields })
  const response = await fetch(url, { method: 'POST', body })
  const answer = (await response.json()) as Record<string, string>
  if (response.status !== 200) throw new Error(JSON.stringify(answer))
  return answer
}
