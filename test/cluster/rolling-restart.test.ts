import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { type TestContext, test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { openDevnet } from '../support/devnet.ts'
import { TestClock } from '../support/clock.ts'
import { freePort } from '../support/free-port.ts'
import { type Gateway, type Reply, ask, bearer, openGateway, sharedKeys } from '../support/gateway.ts'
import { startHaproxy } from '../support/haproxy.ts'
import { Nginx } from '../support/nginx.ts'
import { newHash } from '../support/random.ts'
import { createDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { WsClient } from '../support/ws-client.ts'

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const CALLERS = 8
const ANSWERS_BETWEEN = 40
/** Minimum number of requests; set `ROLLING_REQUESTS=20000` for more. */
const REQUESTS = Number(process.env.ROLLING_REQUESTS ?? 0)

/* A gateway that stops must announce it first: the load balancer needs time to notice, and no request may fail meanwhile. */
test('a gateway that is about to stop announces it, and refuses no request before others can take over', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, { DRAIN_NOTICE_MS: '5000' }, clock)
  const listener = await WsClient.connect(t, `${gateway.url.replace('http', 'ws')}/ws`)
  let closed = false
  const closing = gateway.app.close().then(() => (closed = true))

  const ready = await ask(`${gateway.url}/health/ready`, { method: 'GET' })
  assert.deepEqual([ready.status, ready.json().reason], [503, 'draining'])
  const answer = await gateway.call('block_count')
  assert.equal(answer.status, 200)
  for (const { headers } of [ready, answer])
    assert.equal(headers.connection, 'close', 'a connection ends with its answer')
  assert.deepEqual(await listener.settle(), [], 'websockets are still served')
  assert.equal(closed, false)

  clock.advance(5_000)
  assert.equal(await listener.closed, 1001, 'now they are told to come back')
  await closing
  await assert.rejects(ask(gateway.url), { code: 'ECONNREFUSED' })
})

interface Load {
  answered: number
  /** Checkouts whose creation was acknowledged. */
  written: string[]
  failures: string[]
  stop(): Promise<void>
}

/** Reads and writes continuously over keep-alive connections through the load balancer, and checks every answer. */
function beginLoad(t: TestContext, url: string, key: string): Load {
  const end = new AbortController()
  const load: Load = { answered: 0, written: [], failures: [], stop: () => stop() }
  const fail = (what: string) => {
    load.failures.push(what)
    end.abort()
  }
  const loop = async (caller: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    const call = async (body: object) => {
      try {
        const reply = await ask(url, { body: JSON.stringify(body), agent, headers: bearer(key) })
        if (reply.status !== 200) fail(`${reply.status} ${reply.text.slice(0, 200)}`)
        else if ('title' in body) load.written.push(reply.json().id!)
        load.answered++
      } catch (error) {
        fail(String(error))
      }
    }
    while (!end.signal.aborted) {
      // A mix of requests that are answered from the cache, by the node, and by the gateway itself.
      await call({ action: 'account_balance', account: GENESIS })
      await call({ action: 'account_info', account: GENESIS, weight: String(caller % 2 === 0) })
      await call({ action: 'nano_to_raw', amount: `1.${caller}` })
      const address = toAddress(newHash())
      await call({ action: 'checkout', address, amount: '1', title: `Order of ${caller}` })
    }
  }
  const loops = Array.from({ length: CALLERS }, (_, caller) => loop(caller))
  const stop = async () => {
    end.abort()
    await Promise.all(loops)
  }
  return load
}

/** HAProxy needs two seconds to notice, and more while the machine is busy; nginx is told. */
const NOTICE = { nginx: '3000', haproxy: '6000' }

async function openPair(t: TestContext, notice: string) {
  const devnet = await openDevnet(t)
  const common = {
    ...sharedKeys(),
    DATABASE_URL: await createDatabase(),
    NODE_URLS: devnet.rpcUrl,
    NODE_WS_URLS: devnet.wsUrl,
    NODE_NETWORK: 'dev',
    DRAIN_NOTICE_MS: notice,
    LIMIT_FREE_PER_MINUTE: '0',
    LIMIT_FREE_CONCURRENCY: '0',
    TRUSTED_PROXIES: 'loopback',
  }
  const ports = [await freePort(), await freePort()]
  const start = (port: number) => openGateway(t, { ...common, PORT: String(port) })
  const gateways: Gateway[] = []
  for (const port of ports) gateways.push(await start(port))
  return { ports, gateways, start }
}

/** Load balancers: how to start each before the gateways, and what an operator does around a restart. */
const BALANCERS = {
  async nginx(t: TestContext, ports: readonly number[]) {
    const nginx = await Nginx.start(
      t,
      ports.map((port) => ({ port })),
    )
    return { url: nginx.url, before: (at: number) => nginx.takeOut(at), after: (at: number) => nginx.putBack(at) }
  },
  async haproxy(t: TestContext, ports: readonly number[]) {
    const nothing = () => {}
    return { url: await startHaproxy(t, ports), before: nothing, after: nothing }
  },
}

for (const name of ['nginx', 'haproxy'] as const) {
  const open = BALANCERS[name]
  test(`gateways behind ${name} are restarted one after another under load, and not one request fails`, async (t) => {
    const { ports, gateways, start } = await openPair(t, NOTICE[name])
    const balancer = await open(t, ports)
    const { key } = await gateways[0]!.join()
    const load = beginLoad(t, balancer.url, key)
    const more = async (count = ANSWERS_BETWEEN) => {
      const goal = load.answered + count
      await until(() => load.answered >= goal || load.failures.length > 0)
    }
    const sockets: WsClient[] = []
    const listen = async () => sockets.push(await WsClient.connect(t, `${balancer.url.replace('http', 'ws')}/ws`))
    await listen()
    await more()
    let restarts = 0
    do {
      for (const [at, port] of ports.entries()) {
        balancer.before(at)
        await gateways[at]!.app.close()
        await more()
        gateways[at] = await start(port)
        balancer.after(at)
        await more()
        restarts++
      }
    } while (load.answered < REQUESTS && load.failures.length === 0)
    await load.stop()
    assert.deepEqual(load.failures, [])
    t.diagnostic(`${load.answered} requests, ${load.written.length} of them checkouts, over ${restarts} restarts`)
    const { db } = gateways[0]!.ctx
    const made = await db.selectFrom('checkouts').select('id').where('title', 'like', 'Order of %').execute()
    assert.deepEqual(made.map(({ id }) => id).sort(), load.written.sort(), 'each is there, and once')
    // Websocket clients of the stopped gateway were notified (1001) and reconnect to a running one.
    assert.equal(await sockets[0]!.closed, 1001)
    await listen()
    assert.deepEqual(await sockets.at(-1)!.settle(), [])
  })

  test(`${name} itself refuses in JSON while no gateway runs, like a gateway`, async (t) => {
    const { ports, gateways } = await openPair(t, NOTICE[name])
    const { url } = await open(t, ports)
    for (const gateway of gateways) await gateway.close()
    let reply!: Reply
    await until(async () => (reply = await ask(url, { body: '{"action":"version"}' })).status !== 200)
    assert.match(reply.headers['content-type']!, /^application\/json/)
    const { error, code, retry_after: after } = reply.json<{ error: string; code: string; retry_after: number }>()
    assert.match(error, /^No gateway/)
    assert.deepEqual([code, after, reply.headers['retry-after']], ['gateway_unavailable', 1, '1'])
  })
}
