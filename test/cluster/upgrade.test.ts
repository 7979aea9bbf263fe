import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { openStore } from '../../src/store/schema.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { dumpStore } from '../support/dump-store.ts'
import { openFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { type Gateway, TEST_SETTINGS, openGateway, sharedKeys } from '../support/gateway.ts'
import { Nginx } from '../support/nginx.ts'
import { createDatabase } from '../support/postgres.ts'
import { RELEASED, type Released, openRelease } from '../support/released.ts'
import { until } from '../support/until.ts'
import { type Answer, Shop } from './upgrade-shop.ts'

/* The upgrade of docs/operating/backup.md, from each release to this version, with a store that holds every kind of object. */

const CALLERS = 4
const ROUNDS_BETWEEN = 6

async function openScene(t: TestContext, engine: StoreEngine, version: (typeof RELEASED)[number]) {
  const devnet = await openDevnet(t)
  const folder = openFolder(t)
  const store = engine === 'sqlite' ? `sqlite:${join(folder, 'gateway.db')}` : await createDatabase()
  const env = {
    ...TEST_SETTINGS,
    ...sharedKeys(),
    DATABASE_URL: store,
    NODE_URLS: devnet.rpcUrl,
    NODE_WS_URLS: devnet.wsUrl,
    NODE_NETWORK: 'dev',
    BASE_URL: 'http://gateway.example',
    TRUSTED_PROXIES: 'loopback',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    CHECKOUT_OPEN_MAX: '0',
    LIMIT_FREE_PER_MINUTE: '0',
    LIMIT_PREPAID_PER_MINUTE: '0',
    SWAP_PROVIDER: 'none',
  }
  const release = await openRelease(t, version)
  const envAt = (port: number) => ({ ...env, PORT: String(port), DATA_DIR: join(folder, String(port)) })
  return { node: devnet.node, store, release, envAt }
}

/** Sends requests continuously until stopped, and checks every answer. */
function beginLoad(t: TestContext, shop: Shop, url: string, again = (send: () => Promise<Answer>) => send()) {
  const end = new AbortController()
  const load = { rounds: 0, failures: [] as string[], stop: () => stop(), more: () => more() }
  const loop = async () => {
    while (!end.signal.aborted) {
      await shop.askAround(url, again).catch((error: unknown) => load.failures.push(String(error)))
      load.rounds++
    }
  }
  const loops = Array.from({ length: CALLERS }, loop)
  const stop = async () => {
    end.abort()
    await Promise.all(loops)
  }
  const more = async () => {
    const goal = load.rounds + ROUNDS_BETWEEN
    await until(() => load.rounds >= goal || load.failures.length > 0)
    assert.deepEqual(load.failures, [])
  }
  t.after(stop)
  return load
}

const complaintsIn = (log: string) => log.split('\n').filter((line) => /"level":(?:50|60)/.test(line))
/** 0.2.0 polls for jobs after closing its store, and logs that this failed. */
const complaintsInUse = (log: string) => complaintsIn(log.split('"event":"draining"')[0]!)

/** Checks that everything is still there, in the release's format, and that what was begun can be completed. */
async function assertSame(shop: Shop, before: Record<string, unknown>): Promise<void> {
  assert.partialDeepStrictEqual(await shop.look(), before)
  await shop.finish()
  await shop.assertMoney()
}

/** A release must refuse to start on this version's store, give the reason, and change nothing. */
async function assertNoWayBack(
  { release, store, envAt }: Awaited<ReturnType<typeof openScene>>,
  port: number,
): Promise<void> {
  const dump = async () => {
    const opened = await openStore(store, systemClock)
    const rows = await dumpStore(opened.db)
    await opened.close()
    return rows
  }
  const before = await dump()
  const { code, said } = await release.refuse(envAt(port))
  assert.equal(code, 1, said)
  assert.match(said, /The store was written by a newer nano-gateway/)
  assert.deepEqual(await dump(), before)
}

for (const version of RELEASED) {
  test(`postgres: two gateways of ${version} are replaced one after another under load, and no request fails`, async (t) => {
    const scene = await openScene(t, 'postgres', version)
    const { node, release, envAt } = scene
    const ports = [await freePort(), await freePort()]
    const [first, second] = [await release.start(envAt(ports[0]!)), await release.start(envAt(ports[1]!))]
    const old = new Map<number, Released>([
      [ports[0]!, first],
      [ports[1]!, second],
    ])
    const nginx = await Nginx.start(
      t,
      ports.map((port) => ({ port })),
    )
    const shop = await Shop.open(t, node, nginx.url)
    await shop.fill(first.adminKey)
    const before = await shop.look()

    const load = beginLoad(t, shop, nginx.url)
    await load.more()
    const replacements = new Map<number, Gateway>()
    for (const [at, port] of ports.entries()) {
      nginx.takeOut(at)
      assert.equal(await old.get(port)!.stop(), 0)
      // The first replacement migrates the schema while the other gateway, of the release, serves all requests.
      replacements.set(port, await openGateway(t, envAt(port)))
      await load.more()
      nginx.putBack(at)
      await load.more()
      await shop.sell()
    }
    await load.stop()
    assert.deepEqual(load.failures, [])
    t.diagnostic(`${load.rounds} rounds of seven requests`)

    await assertSame(shop, before)
    for (const { said } of old.values()) assert.deepEqual(complaintsInUse(said()), [])
    for (const gateway of replacements.values()) {
      assert.deepEqual(complaintsIn(gateway.log()), [])
      await gateway.close()
    }
    await assertNoWayBack(scene, ports[0]!)
  })

  // SQLite allows one gateway. Its replacement starts after it has ended, so nobody listens in between.
  test(`sqlite: a gateway of ${version} is replaced under load, and clients that find no gateway repeat their requests and are answered`, async (t) => {
    const scene = await openScene(t, 'sqlite', version)
    const { node, release, envAt } = scene
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const old = await release.start(envAt(port))
    const shop = await Shop.open(t, node, url)
    await shop.fill(old.adminKey)
    const before = await shop.look()

    const load = beginLoad(t, shop, url, async (send) => {
      for (;;) {
        try {
          return await send()
        } catch (error) {
          if (!/ECONNREFUSED|ECONNRESET|socket hang up/.test(String(error))) throw error
          await pause(20)
        }
      }
    })
    await load.more()
    assert.equal(await old.stop(), 0)
    const replacement = await openGateway(t, envAt(port))
    await load.more()
    await shop.sell()
    await load.stop()
    assert.deepEqual(load.failures, [])

    await assertSame(shop, before)
    assert.deepEqual(complaintsInUse(old.said()), [])
    assert.deepEqual(complaintsIn(replacement.log()), [])
    await replacement.close()
    await assertNoWayBack(scene, port)
  })
}
