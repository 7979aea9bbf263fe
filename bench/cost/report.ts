import { OPERATOR } from '../../src/kernel/actor.ts'
import { issueKey } from '../../src/modules/accounts/index.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { openBulk } from '../../test/support/bulk.ts'
import { fillHistory, ownerOf } from '../../test/support/many-checkouts.ts'
import { openBenchStore, startGateway } from '../kit/gateway.ts'
import { show } from '../kit/report.ts'
import { type Row, cheapest, each } from './row.ts'
import { NAMES, type World, keyFor } from './world.ts'

const TIMES = 5
/** This merchant owns 30 % of all rows. */
const MERCHANT = ownerOf(0)

/** The figures of a merchant's dashboard, in a store filled with 90 days of rows. */
export async function costReport(world: World, engine: StoreEngine): Promise<Row[]> {
  const { bench, ledger, options } = world
  const { rows } = options
  const opened = await openBenchStore(bench, engine)
  const bulk = await openBulk(opened.url)
  const usual = {
    suspended_at: null,
    signed_out_at: null,
    per_minute: null,
    concurrency: null,
    features: null,
    mail_links: null,
  }
  const merchant = { id: MERCHANT, email: null, role: 'user' as const, created_at: Date.now(), ...usual }
  await bulk.insert({ accounts: [merchant] })
  await fillHistory(bulk, { from: 0, to: rows, now: Date.now() })
  await bulk.analyze()
  await bulk.close()
  const { text: key } = await issueKey(opened.ctx, {
    accountId: MERCHANT,
    kind: 'secret',
    name: 'bench',
    actor: OPERATOR,
  })
  const gateway = await startGateway(bench, { engine, nodeUrl: ledger.url, nodeWsUrl: ledger.socketUrl, opened })
  const costs = []
  for (let time = 0; time <= TIMES; time++) {
    const before = gateway.spent()
    const response = await fetch(`${gateway.url}/api/checkouts/stats`, { headers: { Authorization: `Bearer ${key}` } })
    const { total } = (await response.json()) as { total?: number }
    if (total !== Math.ceil(rows * 0.3)) throw new Error(`The report counts ${total} of ${rows}.`)
    costs.push(each(before, gateway.spent(), 1))
  }
  await gateway.close()
  await opened.store.close()
  return [
    {
      key: keyFor('report', engine),
      group: 'report',
      operation: `report, ${show(rows)} checkouts in the store`,
      store: NAMES[engine],
      cost: cheapest(costs),
      unit: 'ms',
      goal: { gateway: 50_000 },
    },
  ]
}
