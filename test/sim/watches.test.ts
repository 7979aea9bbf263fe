import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { believeOne } from '../../src/kernel/agreed-read.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { insertAccount } from '../../src/modules/accounts/store.ts'
import { NO_FILTER, endpoints } from '../../src/modules/webhooks/endpoints/endpoint.ts'
import { takePlace } from '../../src/modules/webhooks/endpoints/store.ts'
import { addWatches } from '../../src/modules/webhooks/watches/change.ts'
import { AddressMonitor } from '../../src/modules/webhooks/watches/monitor.ts'
import type { WatchContext } from '../../src/modules/webhooks/watches/context.ts'
import { type OpenedStore, forEachEngine } from '../support/engines.ts'
import { addressOf } from '../support/many-checkouts.ts'
import { SEED, SeededRandom, testRandom } from '../support/random.ts'
import { noBlocks, sendsAsReported } from '../support/sends-as-reported.ts'
import { type SimBlock, SimLedger } from '../support/sim-ledger.ts'
import { isThorough } from '../support/thorough.ts'

/*
 * Endpoints watch addresses of a network whose confirmations are lost, repeated or false, whose nodes fail, and whose listeners are interrupted, restarted
 * or killed at any moment while they hold leases. Every confirmed send of a watched address must be reported once to each endpoint, in the order of
 * confirmation for each address, and none that was confirmed before the watch began.
 */

const ADDRESSES = Array.from({ length: 25 }, (_, at) => addressOf(`sim ${at}`))
const STEPS = isThorough ? 500 : 300
const CALM_STEPS = 150
const WATCHES_FIRST = 15
const ENDPOINTS = ['we_one', 'we_two', 'we_three']
const LOOK = 15
const QUIET_MAX = 3_000

interface Running {
  monitor: AddressMonitor
  die(): void
}

interface Sim {
  ledger: SimLedger
  clock: OpenedStore['clock']
  /** The number of final sends when an endpoint began to watch an address. */
  since: Map<string, number>
  running: Running[]
  start(): Promise<void>
  watch(): Promise<void>
}

async function openSim(t: TestContext, opened: OpenedStore, engine: StoreEngine, random: SeededRandom): Promise<Sim> {
  const { ctx, clock } = opened
  const ledger = new SimLedger(new SeededRandom(random.below(2 ** 32)))
  const secrets = openSecretBox(testRandom.bytes(32), testRandom)
  for (const [at, id] of ENDPOINTS.entries()) {
    const accountId = at === 2 ? 'acc_bob' : 'acc_alice'
    if (at !== 1) await insertAccount(ctx.db, { id: accountId, email: null, role: 'user', createdAt: 0 })
    await takePlace(ctx.db, accountId, 20)
    await endpoints.insert(ctx.db, {
      ...{
        id,
        accountId,
        url: 'https://shop.example/',
        events: ['*'],
        filter: NO_FILTER,
        description: null,
      },
      ...{ isEnabled: true, disabledReason: null, failingSince: null, createdAt: 0, updatedAt: 0 },
      ...{ sealed: '', sealedAt: 0, previousSealed: null, previousUntil: null },
    })
  }
  const toRoom = (store: StoreCtx, node: WatchContext['node'], watch: WatchContext['watch']): WatchContext => ({
    ...store,
    secrets,
    node,
    engine,
    addressesMax: 1_000,
    watch,
  })
  const running: Running[] = []
  const since = new Map<string, number>()
  const watchAll = (addresses: readonly string[]) => running.forEach(({ monitor }) => monitor.feed.watch(addresses))
  t.after(() => Promise.all(running.map(({ monitor }) => monitor.stop())))
  return {
    ledger,
    clock,
    since,
    running,
    async start() {
      // A dead instance receives nothing, and none of its requests is answered.
      let isDead = false
      const node: WatchContext['node'] = {
        publish: () => ledger.publish(),
        readBlocks: noBlocks,
        readSends: sendsAsReported((action, params) => node.read(action, params)),
        readAgreed: believeOne((action, params) => node.read(action, params)),
        read: async (action, params) => {
          const answer = await ledger.read(action, params)
          return isDead ? new Promise(() => undefined) : answer
        },
      }
      const bus = Object.create(ledger, {
        listen: {
          value: (listener: Parameters<SimLedger['listen']>[0]) =>
            ledger.listen((confirmation) => isDead || listener(confirmation)),
        },
        onGap: { value: (listener: () => void) => ledger.onGap(() => isDead || listener()) },
        connected: { get: () => ledger.connected },
      }) as SimLedger
      const monitor = new AddressMonitor({ context: toRoom(ctx, node, watchAll), bus, turnOf: () => 0 })
      running.push({ monitor, die: () => (isDead = true) })
      await monitor.feed.start()
    },
    async watch() {
      const endpointId = random.pick(ENDPOINTS)
      const address = random.pick(ADDRESSES)
      const key = `${endpointId} ${address}`
      const accountId = endpointId === 'we_three' ? 'acc_bob' : 'acc_alice'
      const before = ledger.final.length
      const asked = { accountId, endpointId, addresses: [address] }
      const isAdded = await addWatches(toRoom(ctx, ledger, watchAll), { ...asked, actor: OPERATOR }).catch(
        () => undefined,
      )
      if (isAdded && !since.has(key)) since.set(key, before)
    },
  }
}

async function readTold({ ctx: { db } }: OpenedStore) {
  const rows = await db
    .selectFrom('events')
    .select(['subject', 'type', 'dedupe_key', 'body'])
    .where('endpoint_id', 'is not', null)
    .orderBy('account_id')
    .orderBy('position')
    .execute()
  return Map.groupBy(
    rows.map(({ subject, type, dedupe_key: key, body }) => {
      const [endpoint, hash] = key.split(':')
      return { watch: `${endpoint} ${subject}`, type, hash: hash!, told: JSON.parse(body!) as { sequence: number } }
    }),
    ({ watch }) => watch,
  )
}

/** The expected reports to each endpoint about each of its addresses, in order. */
function expected({ ledger, since }: Sim): Map<string, string[]> {
  return new Map(
    [...since].map(([key, before]) => {
      const address = key.split(' ')[1]!
      const isOwn = ({ account, link }: SimBlock) => account === address || link === address
      const toLine = ({ hash, account }: SimBlock) => `address.${account === address ? 'sent' : 'received'} ${hash}`
      return [key, ledger.final.slice(before).filter(isOwn).map(toLine)]
    }),
  )
}

async function step(sim: Sim, random: SeededRandom, isCalm: boolean): Promise<void> {
  const { ledger, running, clock } = sim
  const chance = random.below(100)
  if (chance < 35) {
    const from = random.pick(ADDRESSES)
    const to = random.pick(ADDRESSES.filter((address) => address !== from))
    ledger.send(from, to, BigInt(1 + random.below(1_000)))
  } else if (chance < 55) ledger.receive(random.pick(ADDRESSES))
  else if (chance < 75) ledger.confirm(1 + random.below(4))
  else if (chance < 85) await sim.watch()
  else if (chance < 88) ledger.lie()
  else if (isCalm) clock.advance(1_000)
  else if (chance < 92) ledger.interrupt(!ledger.connected)
  else if (chance < 95) {
    await running.shift()?.monitor.stop()
    await sim.start()
  } else if (chance < 97) {
    running.shift()?.die()
    await sim.start()
  } else clock.advance(random.below(90_000))
}

async function run(
  t: TestContext,
  {
    opened,
    engine,
    seed,
    isCalm,
  }: {
    opened: OpenedStore
    engine: StoreEngine
    seed: number
    isCalm: boolean
  },
): Promise<void> {
  const random = new SeededRandom(seed)
  const sim = await openSim(t, opened, engine, random)
  const { ledger, clock } = sim
  const countTold = async () => [...(await readTold(opened)).values()].reduce((sum, events) => sum + events.length, 0)
  const countWanted = () => [...expected(sim).values()].reduce((sum, lines) => sum + lines.length, 0)
  const isLooking = async () => {
    const leased = opened.ctx.db.selectFrom('address_watches').select('address').where('leased_until', '>', clock.now())
    return (await leased.limit(1).execute()).length > 0
  }
  const untilReported = async () => {
    const count = countWanted()
    for (let turns = 0; ; turns++) {
      // A dead instance blocks others until its lease ends.
      const mayLook = isCalm && (await isLooking())
      if (!mayLook && (await countTold()) >= count) return
      assert.ok(turns < QUIET_MAX, `SEED=${seed}: ${await countTold()} of ${count} were told`)
      if (!mayLook) clock.advance(2_000)
      await delay(LOOK)
    }
  }
  for (const address of ADDRESSES) {
    ledger.send(address, random.pick(ADDRESSES.filter((other) => other !== address)), 1n)
  }
  ledger.confirm(20)
  if (!isCalm) ledger.faults = { dropped: 25, doubled: 20, failed: 3 }
  await sim.start()
  if (!isCalm) await sim.start()
  for (let at = 0; at < WATCHES_FIRST; at++) await sim.watch()
  for (let at = 0; at < (isCalm ? CALM_STEPS : STEPS); at++) {
    await step(sim, random, isCalm)
    // A poll's reads are not from one moment. To test the order, no block may become final during a poll, however busy the machine is.
    if (isCalm) await untilReported()
    else if (at % 5 === 0) await delay(1)
  }
  ledger.faults = { dropped: 100, doubled: 0, failed: 0 }
  ledger.confirm(1_000)
  if (!ledger.connected) ledger.interrupt(true)

  await untilReported()
  // Nothing is reported twice, however long it goes on.
  for (let turns = 0; turns < 10; turns++) {
    clock.advance(600_000)
    await delay(LOOK)
  }
  await Promise.all(sim.running.map(({ monitor }) => monitor.stop()))
  const told = await readTold(opened)
  const wanted = expected(sim)
  for (const [key, lines] of wanted) {
    const events = told.get(key) ?? []
    const found = events.map(({ type, hash }) => `${type} ${hash}`)
    assert.deepEqual(found.toSorted(), lines.toSorted(), `SEED=${seed} ${key}`)
    assert.deepEqual(
      events.map(({ told: { sequence } }) => sequence),
      events.map((_, at) => at + 1),
      `SEED=${seed} ${key} counts`,
    )
    if (isCalm) assert.deepEqual(found, lines, `SEED=${seed} ${key} in order`)
    for (const sender of ADDRESSES) {
      const ofSender = new Set(ledger.final.filter(({ account }) => account === sender).map(({ hash }) => hash))
      const own = (list: string[]) => list.filter((line) => ofSender.has(line.split(' ')[1]!))
      assert.deepEqual(own(found), own(lines), `SEED=${seed} ${key}: what one account sent, in the order of its chain`)
    }
  }
  assert.equal([...told.values()].flat().length, countWanted())
  t.diagnostic(`SEED=${seed}: ${countWanted()} events of ${wanted.size} watches`)
}

forEachEngine((engine, openFresh) => {
  for (const offset of isThorough ? [0, 1] : [0]) {
    test(`every confirmed send of a watched address is reported once, whichever message or process is lost (${offset})`, async (t) => {
      await run(t, { opened: await openFresh(t), engine, seed: SEED + offset, isCalm: false })
    })
  }

  test('a network that loses nothing is reported in the order of confirmation by address', async (t) => {
    await run(t, { opened: await openFresh(t), engine, seed: SEED, isCalm: true })
  })
})
