import { OPERATOR } from '../../src/kernel/actor.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { type StoreCtx, inTx } from '../../src/kernel/in-tx.ts'
import { createAccount } from '../../src/modules/accounts/index.ts'
import { createSecret, recordEvent } from '../../src/modules/webhooks/index.ts'
import { type BenchGateway, openBenchStore, startGateway } from '../kit/gateway.ts'
import { startStandIn } from '../kit/helpers.ts'
import { type Row, each, inTurns } from './row.ts'
import { NAMES, type World, keyFor } from './world.ts'

/** How many deliveries are due at once, for how many accounts and hosts. Each account gets only its share of parallel deliveries. */
const WAITING = 100
const ACCOUNTS = 50
const HOSTS = 50
const BODY = JSON.stringify({ type: 'payment.completed', note: 'x'.repeat(700) })
/** Long after the last turn. */
const LATER = 24 * 3_600_000
const TURNS_MAX = 4
const WARM_TURNS = { check: 1, else: 8 }

/** Delivers events that become due a hundred at a time. */
export async function costWebhooks(world: World, engine: StoreEngine): Promise<Row[]> {
  const { bench, ledger, options } = world
  using receiver = await startStandIn('receiver')
  const secretKey = crypto.getRandomValues(new Uint8Array(32))
  const opened = await openBenchStore(bench, engine)
  const accounts: string[] = []
  for (let at = 0; at < ACCOUNTS; at++) {
    accounts.push((await createAccount(opened.ctx, { email: null, role: 'user', actor: OPERATOR })).id)
  }
  const node = { nodeUrl: ledger.url, nodeWsUrl: ledger.socketUrl }
  const env = { SECRET_KEY: Buffer.from(secretKey).toString('base64') }
  const gateway = await startGateway(bench, { engine, ...node, env, opened })
  let recorded = 0
  const deliver = async () => {
    await record(opened.ctx, { secretKey, accounts, port: receiver.port })
    recorded += WAITING
    const before = gateway.spent()
    await makeDue(opened.ctx)
    await wake(gateway)
    await untilDelivered(gateway, recorded)
    return each(before, gateway.spent(), WAITING)
  }
  // Warm-up, so that the code is compiled.
  for (let turns = 0; turns < WARM_TURNS[options.check ? 'check' : 'else']; turns++) await deliver()
  const patience = { ...world, turns: Math.min(world.turns, TURNS_MAX) }
  const { cost, yardstick } = await inTurns(patience, keyFor('delivered', engine), deliver, () => post(receiver.port))
  await gateway.close()
  await opened.store.close()
  return [
    {
      key: keyFor('delivered', engine),
      group: 'webhooks',
      operation: `webhook delivered, ${WAITING} waiting`,
      store: NAMES[engine],
      cost,
      unit: 'ms',
      yardstick: { name: 'bare post over a connection of its own', ...yardstick },
      goal: { times: 1 },
    },
  ]
}

interface Recorded {
  secretKey: Uint8Array
  accounts: readonly string[]
  port: number
}

async function record(ctx: StoreCtx, { secretKey, accounts, port }: Recorded): Promise<void> {
  const due = Date.now() + LATER
  const secrets = openSecretBox(secretKey, ctx.random)
  await inTx({ ...ctx, clock: { ...ctx.clock, now: () => due }, secrets }, async (tx) => {
    for (let at = 0; at < WAITING; at++) {
      const id = tx.ids.next('evt')
      const url = `http://127.0.1.${1 + (at % HOSTS)}:${port}/hook`
      const accountId = accounts[at % ACCOUNTS]!
      const event = { id, accountId, subject: id, type: 'payment.completed', dedupeKey: id, body: BODY, url }
      await recordEvent(tx, { ...event, secret: createSecret(tx.random) })
    }
  })
}

/** A request with a key causes a usage write within a second, after which the gateway looks for due jobs. */
async function wake({ url, key }: BenchGateway): Promise<void> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ action: 'version', key }) })
  if (response.status !== 200) throw new Error(await response.text())
  await response.body?.cancel()
}

/** Makes all events due at once. */
async function makeDue({ db }: StoreCtx): Promise<void> {
  const now = Date.now()
  await db.transaction().execute(async (tx) => {
    await tx.updateTable('deliveries').set({ next_at: now }).where('next_at', '>', now).execute()
    await tx
      .updateTable('jobs')
      .set({ run_at: now })
      .where('kind', '=', 'webhooks.deliver')
      .where('status', '=', 'ready')
      .execute()
  })
}

async function untilDelivered({ store: { db } }: BenchGateway, total: number): Promise<void> {
  const end = performance.now() + 60_000
  for (;;) {
    const row = await db
      .selectFrom('deliveries')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('state', '=', 'delivered')
      .executeTakeFirst()
    if (Number(row?.count) >= total) return
    if (performance.now() > end) throw new Error(`${String(row?.count)} of ${total} were delivered.`)
    await delay(50)
  }
}

/** The baseline: the same bytes, posted without a store, each over a new connection. */
async function post(port: number): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 16 })
  const run = async (count: number) => {
    let left = count
    const one = async () => {
      while (left-- > 0)
        await (await pool.request({ method: 'POST', path: '/hook', body: BODY, reset: true })).body.dump()
    }
    await Promise.all(Array.from({ length: 16 }, one))
  }
  await run(100)
  const { user, system } = process.cpuUsage()
  await run(500)
  const after = process.cpuUsage()
  await pool.close()
  return (after.user + after.system - user - system) / 500
}
