/*
 * Measures what a checkout costs with one to eight gateways on one PostgreSQL, first with many accounts, then with one large account: processor time of
 * all gateways, idle ones included, and of the database, next to a baseline of the same run.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createDatabase } from '../test/support/postgres.ts'
import { newCheckouts, toPayment } from './cost/checkouts.ts'
import { type BareServer, startBare } from './cost/world.ts'
import { cheapest, each } from './cost/row.ts'
import { type BenchGateway, type Spent, openBenchStore, startGateway } from './kit/gateway.ts'
import { type Asker, type StandIn, startAsker, startStandIn } from './kit/helpers.ts'
import { writeRequests } from './kit/load.ts'
import type { Options } from './kit/options.ts'
import { type Figures, type Report, show, toTable } from './kit/report.ts'
import { Bench, buildGateway, postmasterOf } from './kit/servers.ts'

const INSTANCES = [1, 2, 4, 8]
/** Checkouts in a turn, for any number of gateways. */
const TURN = 240
const TURNS = 3
const BARE = 600
const SETTLED_WITHIN = 120_000

interface Member {
  gateway: BenchGateway
  asker: Asker
}

export async function benchInstances({ long }: Options): Promise<Report> {
  buildGateway()
  await using bench = new Bench()
  using ledger = await startStandIn('ledger')
  const opened = await openBenchStore(bench, 'postgres')
  const bareUrl = await createDatabase()
  const bare = await startBare(bench, 'rows-postgres', bareUrl, await postmasterOf(bareUrl))
  const secret = () => randomBytes(32).toString('base64')
  const env = { WALLET_KEYS: `one:${secret()}`, SECRET_KEY: secret() }
  const members: Member[] = []
  const figures: Figures = {}
  const rows: string[][] = []
  try {
    for (const count of INSTANCES) {
      while (members.length < count) members.push(await join(bench, { opened, ledger, env }))
      for (const who of ['many', 'one'] as const) {
        const sell = () => sellAll({ bench, ledger, members, who })
        await sell()
        const [made, paid, baseline]: [Spent[], Spent[], number[]] = [[], [], []]
        for (let turn = 0; turn < (long ? 2 : 1) * TURNS; turn++) {
          baseline.push(await askBare(bench, members[0]!.asker, bare))
          const spent = await sell()
          made.push(spent.made)
          paid.push(spent.paid)
        }
        const best = { made: cheapest(made), paid: cheapest(paid), bare: Math.min(...baseline) }
        for (const step of ['made', 'paid'] as const) {
          figures[`${step}${count}${who}`] = best[step].gateway
          figures[`${step}${count}${who}Database`] = best[step].database
        }
        const cost = ({ gateway, database }: Spent) => `${show(gateway)} + ${show(database)}`
        rows.push([String(count), who, cost(best.made), cost(best.paid), show(best.bare)])
        console.log(rows.at(-1)!.join(' | '))
      }
    }
  } finally {
    for (const { asker } of members) asker[Symbol.dispose]()
  }
  await opened.store.close()
  const head = ['instances', 'accounts', 'checkout made, µs', 'payment credited, µs', 'baseline, µs']
  return { figures, tables: [toTable(head, rows)] }
}

interface Joining {
  opened: Awaited<ReturnType<typeof openBenchStore>>
  ledger: StandIn
  env: Record<string, string>
}

async function join(bench: Bench, { opened, ledger, env }: Joining): Promise<Member> {
  const nodes = { nodeUrl: ledger.url, nodeWsUrl: ledger.socketUrl }
  const gateway = await startGateway(bench, { engine: 'postgres', ...nodes, env, opened })
  await ledger.heard()
  return { gateway, asker: startAsker() }
}

let lists = 0

/** All gateways make their share of the checkouts at once; then all checkouts are paid at once. */
async function sellAll({
  bench,
  ledger,
  members,
  who,
}: {
  bench: Bench
  ledger: StandIn
  members: readonly Member[]
  who: 'many' | 'one'
}): Promise<{ made: Spent; paid: Spent }> {
  const count = TURN / members.length
  const before = spentBy(members)
  const answered = await Promise.all(
    members.map(({ gateway, asker }) => {
      const list = writeRequests(bench.folder, `sales-${++lists}`, newCheckouts(count, `sales ${lists}`))
      const { headers } = who === 'many' ? gateway : members[0]!.gateway
      return asker.ask({ port: gateway.port, list, count, from: 0, headers, keep: true, connections: 8 })
    }),
  )
  const between = spentBy(members)
  const payments = answered.flatMap(({ bodies }) => bodies.map(toPayment))
  const due = (await countComplete(members)) + payments.length
  await ledger.reportPayments(payments)
  const end = performance.now() + SETTLED_WITHIN
  for (let complete = -1; complete < due; complete = await countComplete(members)) {
    if (performance.now() > end) throw new Error(`${complete} of ${due} payments were found.`)
    await delay(200)
  }
  return { made: each(before, between, TURN), paid: each(between, spentBy(members), TURN) }
}

/** All gateways share one database, so its time is counted once. */
function spentBy(members: readonly Member[]): Spent {
  const all = members.map(({ gateway }) => gateway.spent())
  return { gateway: all.reduce((sum, { gateway }) => sum + gateway, 0), database: all[0]!.database }
}

async function countComplete([first]: readonly Member[]): Promise<number> {
  const row = await first!.gateway.store.db
    .selectFrom('checkouts')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('status', '=', 'complete')
    .executeTakeFirst()
  return Number(row?.count)
}

async function askBare(bench: Bench, asker: Asker, server: BareServer): Promise<number> {
  const list = writeRequests(bench.folder, 'bare', [{ body: { action: 'checkout' } }])
  const before = server.spent()
  await asker.ask({ port: server.port, list, count: BARE })
  return (server.spent() - before) / BARE
}
