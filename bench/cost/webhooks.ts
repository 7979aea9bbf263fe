import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { openSecretBox } from '../../src/infra/secrets/secret-box.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { inTx } from '../../src/kernel/in-tx.ts'
import { createAccount } from '../../src/modules/accounts/index.ts'
import { createSecret, recordEvent } from '../../src/modules/webhooks/index.ts'
import { type BenchGateway, type Spent, openBenchStore, startGateway } from '../kit/gateway.ts'
import { startStandIn } from '../kit/helpers.ts'
import { type Row, cheapest, each } from './row.ts'
import { NAMES, type World, keyFor } from './world.ts'

/** How many wait at once, and for how many hosts. */
const WAITING = 100
const HOSTS = 50
const BODY = JSON.stringify({ type: 'payment.completed', note: 'x'.repeat(700) })
/** A gateway has started by then; a turn of deliveries is over by the next. */
const FIRST_AFTER = 8_000
const TURN_EVERY = 2_500
const GOALS = { sqlite: { gateway: 500 }, postgres: { gateway: 700, database: 400 } } as const

/** Events that were recorded before the gateway started, and become due a hundred at a time. */
export async function costWebhooks(world: World, engine: StoreEngine): Promise<Row[]> {
  using receiver = await startStandIn('receiver')
  const posts = [await post(receiver.port), await post(receiver.port)]
  let costs: Spent[] = []
  // A machine that is too busy to deliver one hundred before the next are due is given more time.
  for (let patience = 1; costs.length === 0 && patience <= 8; patience *= 2) {
    costs = await deliver(world, engine, receiver.port, patience)
  }
  posts.push(await post(receiver.port))
  return [
    {
      key: keyFor('delivered', engine),
      group: 'webhooks',
      operation: `webhook delivered, ${WAITING} waiting`,
      store: NAMES[engine],
      cost: cheapest(costs),
      unit: 'ms',
      yardstick: { name: 'bare post', cost: Math.min(...posts) },
      goal: GOALS[engine],
    },
  ]
}

/** What a delivery cost in those turns that waited for their time; the first, whose code is not compiled yet, is left out. */
async function deliver({ bench, ledger, ...world }: World, engine: StoreEngine, port: number, patience: number) {
  const turns = Math.min(world.turns, 4)
  const secretKey = crypto.getRandomValues(new Uint8Array(32))
  const opened = await openBenchStore(bench, engine)
  const first = Date.now() + FIRST_AFTER * patience
  const dueAt = (turn: number) => first + turn * TURN_EVERY * patience
  await record(opened.ctx, { secretKey, port, turns, dueAt })
  const node = { nodeUrl: ledger.url, nodeWsUrl: ledger.socketUrl }
  const env = { SECRET_KEY: Buffer.from(secretKey).toString('base64') }
  const gateway = await startGateway(bench, { engine, ...node, env, opened })
  const costs: Spent[] = []
  for (let turn = 0; turn < turns; turn++) {
    const wait = dueAt(turn) - Date.now()
    await delay(Math.max(0, wait))
    const before = gateway.spent()
    await untilDelivered(gateway, (turn + 1) * WAITING)
    if (wait > 0 && turn > 0 && Date.now() < dueAt(turn + 1)) costs.push(each(before, gateway.spent(), WAITING))
  }
  await gateway.close()
  await opened.store.close()
  return costs
}

async function record(
  ctx: Awaited<ReturnType<typeof openBenchStore>>['ctx'],
  {
    secretKey,
    port,
    turns,
    dueAt,
  }: { secretKey: Uint8Array; port: number; turns: number; dueAt: (turn: number) => number },
): Promise<void> {
  const { id: accountId } = await createAccount(ctx, { email: null, role: 'user', actor: 'bench' })
  const secrets = openSecretBox(secretKey, ctx.random)
  for (let turn = 0; turn < turns; turn++) {
    const clock = { ...ctx.clock, now: () => dueAt(turn) }
    await inTx({ ...ctx, clock, secrets }, async (tx) => {
      for (let at = 0; at < WAITING; at++) {
        const id = tx.ids.next('evt')
        const url = `http://127.0.1.${1 + (at % HOSTS)}:${port}/hook`
        const event = { id, accountId, subject: id, type: 'payment.completed', dedupeKey: id, body: BODY, url }
        await recordEvent(tx, { ...event, secret: createSecret(tx.random) })
      }
    })
  }
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

/** The same bytes, posted without a store. */
async function post(port: number): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 16 })
  const run = async (count: number) => {
    let left = count
    const one = async () => {
      while (left-- > 0) await (await pool.request({ method: 'POST', path: '/hook', body: BODY })).body.dump()
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
