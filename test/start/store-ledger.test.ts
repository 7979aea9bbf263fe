import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../src/config/config.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { GENESIS_HASHES } from '../../src/kernel/nano/network.ts'
import { claimLedger, rememberLedger } from '../../src/store/ledger.ts'
import { openDevnet } from '../support/devnet.ts'
import { ENGINES, openFresh } from '../support/engines.ts'
import { openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { run, start } from './process.ts'
import { openFolder } from '../support/folder.ts'

/* A store belongs to the ledger that it was first opened with. */

const NODES = 'http://127.0.0.1:1'

test('a data folder of the development ledger does not go live with its play sales', async (t) => {
  const env = { DATA_DIR: openFolder(t), LOG_LEVEL: 'error' }
  assert.equal((await (await start(t, env)).stop()).code, 0)
  const live = await run(t, ['start'], { ...env, NODE_URLS: NODES })
  assert.equal(live.code, 1)
  assert.match(
    live.errors,
    /This store belongs to the ledger of the dev network .* the settings name the ledger of the live network/,
  )
  assert.match(live.errors, /another DATA_DIR, and another DATABASE_URL where one is set\./)
  assert.equal((await (await start(t, env)).stop()).code, 0, 'it is what it was')
})

for (const engine of ENGINES) {
  test(`a store remembers its ledger, and refuses every other one (${engine})`, async (t) => {
    const { ctx, openAnother } = await openFresh(t, engine)
    const dataDir = openFolder(t)
    const live = { nodeUrls: [NODES], nodeNetwork: 'live' as const, dataDir }
    const identity = { network: 'live', genesis: GENESIS_HASHES.live }
    assert.deepEqual(await claimLedger(live, ctx), identity)
    assert.deepEqual(await claimLedger(live, (await openAnother()).ctx), identity)
    for (const other of [
      { nodeNetwork: 'dev' as const },
      { nodeNetwork: 'beta' as const },
      { nodeUrls: ['devnet:'] },
    ]) {
      await assert.rejects(
        claimLedger({ ...live, ...other }, ctx),
        /This store belongs to the ledger of the live network/,
      )
    }
  })

  test(`a network without a fixed first block takes the first one that a node reports (${engine})`, async (t) => {
    const { ctx, openAnother } = await openFresh(t, engine)
    const beta = { nodeUrls: [NODES], nodeNetwork: 'beta' as const, dataDir: openFolder(t) }
    const [first, second] = ['A'.repeat(64), 'B'.repeat(64)]
    assert.deepEqual(await claimLedger(beta, ctx), { network: 'beta', genesis: undefined })
    // Two gateways with different ledgers start at once on a new store: one of them must be refused.
    const other = (await openAnother()).ctx
    const told = [
      rememberLedger(ctx, { network: 'beta', genesis: first }),
      rememberLedger(other, { network: 'beta', genesis: second }),
    ]
    const outcomes = await Promise.allSettled(told)
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const kept = await claimLedger(beta, ctx)
    assert.ok(kept.genesis === first || kept.genesis === second)
    await assert.rejects(
      claimLedger({ ...beta, nodeNetwork: 'live' }, ctx),
      /belongs to the ledger of the beta network/,
    )
  })
}

test('a gateway on a network that is restarted keeps the ledger that its node reported', async (t) => {
  const devnet = await openDevnet(t, { network: 'beta' })
  const beta = { NODE_NETWORK: 'beta', NODE_URLS: devnet.rpcUrl }
  const first = await openGateway(t, beta)
  const kept = () => first.app.store.db.selectFrom('store_facts').select('value').where('name', '=', 'ledger').execute()
  await until(async () => (await kept()).length > 0)
  assert.deepEqual(JSON.parse((await kept())[0]!.value), { network: 'beta', genesis: GENESIS_HASHES.dev })
  await first.app.store.db
    .updateTable('store_facts')
    .set({ value: JSON.stringify({ network: 'beta', genesis: 'A'.repeat(64) }) })
    .where('name', '=', 'ledger')
    .execute()
  const { genesis } = await claimLedger(loadConfig({ ...beta, DATA_DIR: first.folder }), {
    db: first.app.store.db,
    clock: systemClock,
  })
  assert.equal(genesis, 'A'.repeat(64), 'what the nodes are compared with')
})

test('a store of an earlier version is adopted by the ledger that it was used with, and by no other', async (t) => {
  const embedded = await openGateway(t)
  const forget = ({ app }: typeof embedded) =>
    app.store.db.deleteFrom('store_facts').where('name', '=', 'ledger').execute()
  const play = { DATA_DIR: embedded.folder }
  await forget(embedded)
  await embedded.app.close()
  await assert.rejects(
    openGateway(t, { ...play, NODE_URLS: NODES }),
    /in the same folder as a development ledger .* remove that file/,
  )
  const again = await openGateway(t, play)
  await forget(again)
  await again.app.close()
  // The operator overrides the check: this store was never used with test nano.
  rmSync(join(embedded.folder, 'devnet.json'))
  const adopted = await openGateway(t, { ...play, NODE_URLS: NODES })
  await forget(adopted)
  await adopted.app.close()
  await assert.rejects(openGateway(t, play), /was used with nodes, and the settings name the development ledger/)
  assert.deepEqual(loadConfig(play).nodeUrls, ['devnet:'])
})
