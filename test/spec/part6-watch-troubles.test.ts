import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { believeOne } from '../../src/kernel/agreed-read.ts'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { LedgerRefusal, storeAway } from '../../src/kernel/errors.ts'
import type { NodeAnswer, NodeParams } from '../../src/kernel/ports.ts'
import { insertAccount } from '../../src/modules/accounts/store.ts'
import { NO_FILTER, endpoints } from '../../src/modules/webhooks/endpoints/endpoint.ts'
import { takePlace } from '../../src/modules/webhooks/endpoints/store.ts'
import { addWatches } from '../../src/modules/webhooks/watches/change.ts'
import { AddressMonitor } from '../../src/modules/webhooks/watches/monitor.ts'
import type { WatchContext } from '../../src/modules/webhooks/watches/context.ts'
import { countTroubled } from '../../src/modules/webhooks/watches/store.ts'
import { type OpenedStore, forEachEngine, openFresh } from '../support/engines.ts'
import { addressOf } from '../support/many-checkouts.ts'
import { SEED, SeededRandom, testRandom } from '../support/random.ts'
import { noBlocks, sendsAsReported } from '../support/sends-as-reported.ts'
import { SimLedger } from '../support/sim-ledger.ts'

/* Watched addresses whose merchants were once not notified. */

const SHOP = addressOf('shop')
const PAYER = addressOf('payer')
const own = { accountId: 'acc_shop', endpointId: 'we_shop' }

type Answer = (action: string, params: NodeParams) => NodeAnswer | undefined

async function open(t: TestContext, opened: OpenedStore, engine: StoreEngine, events = ['*']) {
  const { ctx, clock } = opened
  const ledger = new SimLedger(new SeededRandom(SEED))
  await insertAccount(ctx.db, { id: own.accountId, email: null, role: 'user', createdAt: 0 })
  await takePlace(ctx.db, own.accountId, 20)
  await endpoints.insert(ctx.db, {
    ...{
      id: own.endpointId,
      accountId: own.accountId,
      url: 'https://shop.example/',
      events,
      filter: NO_FILTER,
    },
    ...{ description: null, isEnabled: true, disabledReason: null, failingSince: null, createdAt: 0, updatedAt: 0 },
    ...{ sealed: '', sealedAt: 0, previousSealed: null, previousUntil: null },
  })
  const reads: string[] = []
  const failed: string[] = []
  const faults: { answer: Answer | undefined; isStoreAway: boolean } = { answer: undefined, isStoreAway: false }
  const db = ctx.db.withPlugin({
    transformQuery({ node }) {
      if (faults.isStoreAway && node.kind === 'UpdateQueryNode') throw storeAway(new Error('cut off'))
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const context: WatchContext = {
    ...ctx,
    db,
    failures: { failed: (place) => () => void failed.push(place), lost: () => () => undefined },
    secrets: openSecretBox(testRandom.bytes(32), testRandom),
    node: {
      publish: () => ledger.publish(),
      readBlocks: noBlocks,
      readSends: sendsAsReported((action, params) => context.node.read(action, params)),
      readAgreed: believeOne((action, params) => context.node.read(action, params)),
      async read(action, params) {
        reads.push(action)
        return faults.answer?.(action, params) ?? ledger.read(action, params)
      },
    },
    engine,
    addressesMax: 10_000,
    watch: (addresses) => monitor.feed.watch(addresses),
  }
  const monitor: AddressMonitor = new AddressMonitor({ context, bus: ledger, turnOf: () => 0 })
  t.after(() => monitor.stop())
  const told = async () =>
    (await ctx.db.selectFrom('events').select(['type', 'dedupe_key']).orderBy('position').execute()).length
  const read = async () =>
    (await ctx.db.selectFrom('address_watches').selectAll().where('address', '=', SHOP).executeTakeFirst())!
  /** The clock advances only when all received and due work is finished, so that it does not outrun the store. */
  const second = async () => {
    await monitor.feed.idle()
    clock.advance(1_000)
    await monitor.feed.idle()
  }
  const within = async (seconds: number, isSo: () => Promise<boolean>) => {
    for (let passed = 0; !(await isSo()); passed++) {
      assert.ok(passed < seconds, `It was not so within ${seconds} seconds.`)
      await second()
    }
  }
  const watch = (addresses = [SHOP]) => addWatches(context, { ...own, actor: OPERATOR, addresses })
  const pay = (from = PAYER, to = SHOP) => {
    ledger.send(from, to, 5n)
    ledger.confirm(10)
  }
  return { ledger, monitor, second, reads, failed, faults, told, read, within, watch, pay, db: ctx.db }
}

const openAlone = async (t: TestContext, events?: string[]) => open(t, await openFresh(t, 'sqlite'), 'sqlite', events)

/** Receivable sends, by hash. */
const waiting = (count: number, from = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${from + at}`.padStart(64, 'F'), {}]))

test('the first watched address is checked within a second, also after a long time without one', async (t) => {
  const { monitor, reads, second, watch } = await openAlone(t)
  await monitor.feed.start()
  for (let passed = 0; passed < 7; passed++) await second()
  await watch()
  reads.length = 0
  await second()
  assert.notDeepEqual(reads, [])
})

forEachEngine((engine, openStore) => {
  test('deposits silently stopped being reported for good when no node had the block to continue from (contract 6, rule 29)', async (t) => {
    const world = await open(t, await openStore(t), engine)
    const { ledger, monitor, failed, faults, told, read, within, watch, pay, db } = world
    pay()
    ledger.receive(SHOP)
    ledger.confirm(1)
    await monitor.feed.start()
    await watch()
    faults.answer = (action, { head }) => {
      if (action === 'account_history' && head !== undefined) throw new LedgerRefusal('Block not found')
      return undefined
    }
    pay()
    ledger.receive(SHOP)
    ledger.confirm(1)
    await within(10, async () => (await read()).trouble === 'unknown_floor')
    assert.deepEqual([await told(), failed], [0, []], 'a node may be behind for a moment')
    await within(120, () => Promise.resolve(failed.length > 0))
    const since = (await read()).trouble_since
    await within(200, async () => (await read()).next_look_at - (await read()).looked_at > 200_000)
    assert.deepEqual([failed, (await read()).trouble_since], [['watches.floor'], since], 'said once')
    assert.equal(await countTroubled(db, own), 1)
    faults.answer = undefined
    await within(200, async () => (await told()) === 1)
    await within(10, async () => (await read()).trouble === null)
    assert.equal(await countTroubled(db, own), 0)
  })

  test('what was confirmed during a silence was reported hours later, because the store was away when it ended: catching up is tried until it is done', async (t) => {
    const { ledger, monitor, failed, faults, told, within, watch, pay } = await open(t, await openStore(t), engine)
    await monitor.feed.start()
    await watch()
    pay()
    await within(10, async () => (await told()) === 1)
    ledger.interrupt(false)
    pay()
    faults.isStoreAway = true
    ledger.interrupt(true)
    await within(5, () => Promise.resolve(failed.length >= 2))
    faults.isStoreAway = false
    await within(20, async () => (await told()) === 2)
  })
})

test('an address with ten thousand open deposits silently missed new ones: now it logs that, and still reports those it receives (contract 6, rule 29)', async (t) => {
  const { monitor, faults, told, read, within, watch, pay } = await openAlone(t)
  await monitor.feed.start()
  await watch()
  faults.answer = (action, { accounts, offset }) => {
    if (action === 'accounts_receivable')
      return { blocks: Object.fromEntries((accounts as string[]).map((one) => [one, waiting(1_000)])) }
    return action === 'receivable' ? { blocks: waiting(1_000, Number(offset)) } : undefined
  }
  pay()
  await within(400, async () => (await read()).trouble === 'too_much_waits')
  await within(10, async () => (await told()) === 1)
  faults.answer = undefined
  await within(900, async () => (await read()).trouble === null)
})

test('an account that asks for deposits alone cost twenty reads for each payment it made: unwanted events are not looked up', async (t) => {
  const { monitor, reads, told, within, second, watch, pay } = await openAlone(t, ['address.received'])
  await monitor.feed.start()
  await watch()
  pay()
  await within(10, async () => (await told()) === 1)
  reads.length = 0
  for (let at = 0; at < 5; at++) pay(SHOP, PAYER)
  for (let passed = 0; passed < 60; passed++) await second()
  assert.deepEqual(reads, [])
})

test('a list of addresses that is refused cost the nodes over a thousand questions: it costs a few (contract 6, rule 27)', async (t) => {
  const { reads, faults, watch, db } = await openAlone(t)
  const addresses = Array.from({ length: 1_000 }, (_, at) => addressOf(`crowded ${at}`))
  const ledger = { crowded: addresses, each: 2_001 }
  faults.answer = (action, { accounts, account, count }) => {
    const at = (one: string) => (ledger.crowded.includes(one) ? waiting(Math.min(ledger.each, Number(count))) : {})
    if (action === 'accounts_receivable')
      return { blocks: Object.fromEntries((accounts as string[]).map((one) => [one, at(one)])) }
    return action === 'receivable' ? { blocks: at(account as string) } : undefined
  }
  await assert.rejects(watch(addresses), /1,000 sends or more wait/)
  assert.deepEqual(reads, ['accounts_receivable'])
  ledger.crowded = addresses.slice(-20)
  reads.length = 0
  await assert.rejects(watch(addresses), new RegExp(`${addresses[980]} has more than 2000 unreceived sends`))
  assert.equal(reads.length, 11)
  ledger.each = 2_000
  await watch(addresses)
  const rows = await db.selectFrom('address_watches').select('known').where('known', '<>', '').execute()
  assert.deepEqual(new Set(rows.map(({ known }) => known.length)), new Set([16]), 'hashes of this test begin alike')
  assert.equal(rows.length, 20)
})

test('a gateway did not start when its store failed during the first catch-up: it starts, logs it, and reports what it has missed', async (t) => {
  const { monitor, failed, faults, told, within, watch, pay } = await openAlone(t)
  await watch()
  pay()
  faults.isStoreAway = true
  await monitor.feed.start()
  assert.equal(failed[0], 'watches.monitor')
  faults.isStoreAway = false
  await within(30, async () => (await told()) === 1)
})
