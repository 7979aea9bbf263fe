/*
 * Events on their way to receivers: recorded in one go, then delivered by the gateways' own job runners to nginx on
 * many loopback addresses, because no host gets more than a few requests at once. The peer posts the same bytes to the
 * same receiver without a store.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { openSecretBox } from '../src/infra/secrets/secret-box.ts'
import { inTx } from '../src/kernel/in-tx.ts'
import { createSecret, recordEvent } from '../src/modules/webhooks/index.ts'
import { type Fleet, listFleets, startFleet } from './kit/fleet.ts'
import { measure } from './kit/load.ts'
import type { Options } from './kit/options.ts'
import { type Figures, type Report, STORE_NAMES, show, toTable } from './kit/report.ts'
import { Bench, buildGateway, freePort, requireTools } from './kit/servers.ts'
import { startSilentEvents } from './reads.ts'

const HOSTS = 250
const BODY = JSON.stringify({ type: 'payment.completed', note: 'x'.repeat(700) })
const DELIVERED_WITHIN = 60_000

export async function benchWebhooks(options: Options): Promise<Report> {
  requireTools('nginx', 'redis-server')
  buildGateway()
  await using bench = new Bench()
  const [receiver, websocket] = [await freePort(), await freePort()]
  // On every loopback address, so that one nginx is as many hosts as we like.
  const everywhere = `server { listen ${receiver}; location / { return 200 'taken'; } }`
  await bench.startNginx('receiver', `${everywhere} server { listen 127.0.0.1:${await freePort()}; }`)
  const sockets = startSilentEvents(websocket)
  const node = {
    nodeUrl: `http://127.0.0.1:${await bench.startStaticLedger()}/`,
    nodeWsUrl: `ws://127.0.0.1:${websocket}`,
  }
  const count = options.quick ? 1_000 : 5_000
  const figures: Figures = {}
  const rows = []
  for (const size of listFleets(options.stores, options.processes)) {
    const peer = await measurePeer(receiver)
    const secretKey = crypto.getRandomValues(new Uint8Array(32))
    const env = { SECRET_KEY: Buffer.from(secretKey).toString('base64') }
    const fleet = await startFleet(bench, { ...size, ...node, env })
    await record(fleet, { secretKey, receiver, count: 200 })
    await untilDelivered(fleet, 200)
    const before = fleet.spent()
    await record(fleet, { secretKey, receiver, count })
    const perSecond = await untilDelivered(fleet, 200 + count)
    const after = fleet.spent()
    const gateway = (after.gateway - before.gateway) / count
    const database = (after.database - before.database) / count
    if (size.processes === 1) {
      figures[`${size.engine}Micros`] = gateway
      figures[`${size.engine}DatabaseMicros`] = database
    }
    figures[`${size.engine}${size.processes}PerSecond`] = perSecond
    rows.push([
      STORE_NAMES[size.engine],
      size.processes,
      show(perSecond),
      show(peer),
      (perSecond / peer).toFixed(2),
      show(gateway),
      database === 0 ? '–' : show(database),
      0,
    ])
    await fleet.close()
  }
  sockets.close()
  const head = ['store', 'processes', 'delivered a second', 'bare posts a second', 'ratio', 'CPU µs, gateway']
  return { figures, tables: [toTable([...head, 'CPU µs, database', 'lost'], rows)] }
}

async function measurePeer(receiver: number): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${receiver}`, { connections: 32 })
  const post = async () => {
    const { body } = await pool.request({ method: 'POST', path: '/hook', body: BODY })
    await body.dump()
  }
  const { rate } = await measure({ callers: 32, seconds: 1 }, post)
  await pool.close()
  return rate
}

/** One transaction, as if so many payments had become final in one moment. */
async function record(
  { ctx, accountId }: Fleet,
  { secretKey, receiver, count }: { secretKey: Uint8Array; receiver: number; count: number },
): Promise<void> {
  const secrets = openSecretBox(secretKey, ctx.random)
  await inTx({ ...ctx, secrets }, async (tx) => {
    for (let at = 0; at < count; at++) {
      const id = tx.ids.next('evt')
      const url = `http://127.0.1.${1 + (at % HOSTS)}:${receiver}/hook`
      const event = { id, accountId, subject: id, type: 'payment.completed', dedupeKey: id, body: BODY, url }
      await recordEvent(tx, { ...event, secret: createSecret(tx.random) })
    }
  })
}

/** Deliveries a second, from the first attempt of this round to the last. */
async function untilDelivered({ store: { db } }: Fleet, total: number): Promise<number> {
  const since = Date.now()
  for (;;) {
    const row = await db
      .selectFrom('delivery_attempts')
      .select(({ fn }) => [fn.countAll().as('count'), fn.min('at').as('first'), fn.max('at').as('last')])
      .where('at', '>=', since)
      .executeTakeFirst()
    const all = await db
      .selectFrom('deliveries')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('state', '=', 'delivered')
      .executeTakeFirst()
    if (Number(all?.count) === total) {
      return Number(row!.count) / (Math.max(1, row!.last - row!.first) / 1_000)
    }
    if (Date.now() - since > DELIVERED_WITHIN) throw new Error(`${String(all?.count)} of ${total} were delivered.`)
    await delay(50)
  }
}
