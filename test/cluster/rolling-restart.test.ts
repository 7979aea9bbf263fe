import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { openDevnet } from '../support/devnet.ts'
import { TestClock } from '../support/clock.ts'
import { freePort } from '../support/free-port.ts'
import { type Gateway, ask, openGateway, sharedKeys } from '../support/gateway.ts'
import { Nginx } from '../support/nginx.ts'
import { createDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { WsClient } from '../support/ws-client.ts'

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const CALLERS = 8
const ANSWERS_BETWEEN = 40

/* A gateway that stops says so first: a balancer needs time to notice, and nobody may be cut off meanwhile. */
test('a gateway that is about to stop says so, still answers, and sends nobody away before others can take over', async (t) => {
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
  failures: string[]
  stop(): Promise<void>
}

/** Reads without a pause through the balancer and looks at every answer. */
function beginLoad(url: string): Load {
  const end = new AbortController()
  const load: Load = { answered: 0, failures: [], stop: () => stop() }
  const call = async (body: object) => {
    try {
      const { status, text } = await ask(url, { body: JSON.stringify(body) })
      if (status !== 200) load.failures.push(`${status} ${text.slice(0, 200)}`)
      load.answered++
    } catch (error) {
      load.failures.push(String(error))
    }
  }
  const loop = async (caller: number) => {
    while (!end.signal.aborted) {
      // Different questions: some are answered from memory, some by the node, some in the gateway itself.
      await call({ action: 'account_balance', account: GENESIS })
      await call({ action: 'account_info', account: GENESIS, weight: String(caller % 2 === 0) })
      await call({ action: 'nano_to_raw', amount: `1.${caller}` })
    }
  }
  const loops = Array.from({ length: CALLERS }, (_, caller) => loop(caller))
  const stop = async () => {
    end.abort()
    await Promise.all(loops)
  }
  return load
}

async function openPair(t: TestContext) {
  const devnet = await openDevnet(t)
  const common = {
    ...sharedKeys(),
    DATABASE_URL: await createDatabase(),
    NODE_URLS: devnet.rpcUrl,
    NODE_WS_URLS: devnet.wsUrl,
    NODE_NETWORK: 'dev',
    DRAIN_NOTICE_MS: '2000',
    TRUSTED_PROXIES: 'loopback',
  }
  const ports = [await freePort(), await freePort()]
  const start = (port: number) => openGateway(t, { ...common, PORT: String(port) })
  const gateways = new Map<number, Gateway>()
  for (const port of ports) gateways.set(port, await start(port))
  return { ports, gateways, start }
}

test('gateways behind nginx are restarted one after another under load, and not one request fails', async (t) => {
  const { ports, gateways, start } = await openPair(t)
  const nginx = await Nginx.start(
    t,
    ports.map((port) => ({ port })),
  )
  const load = beginLoad(nginx.url)
  const more = async () => {
    const goal = load.answered + ANSWERS_BETWEEN
    await until(() => load.answered >= goal || load.failures.length > 0)
  }
  const sockets: WsClient[] = []
  const listen = async () => sockets.push(await WsClient.connect(t, `${nginx.url.replace('http', 'ws')}/ws`))
  await listen()
  await more()
  for (const port of ports) {
    await nginx.reload(ports.map((member) => ({ port: member, down: member === port })))
    await gateways.get(port)!.app.close()
    await more()
    gateways.set(port, await start(port))
    await nginx.reload(ports.map((member) => ({ port: member })))
    await more()
  }
  await load.stop()
  assert.deepEqual(load.failures, [])
  t.diagnostic(`${load.answered} requests over ${ports.length} restarts`)
  // Whoever listened to a gateway that stopped was told so, and comes back to one that runs.
  for (const socket of sockets) assert.equal(await socket.closed, 1001)
  await listen()
  assert.deepEqual(await sockets.at(-1)!.settle(), [])
})
