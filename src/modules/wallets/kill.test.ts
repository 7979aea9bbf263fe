import { OPERATOR } from '../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../infra/clock.ts'
import { openStore } from '../../store/schema.ts'
import { RAW_PER_NANO } from '../../kernel/money.ts'
import { fromAddress } from '../../kernel/nano/address.ts'
import { createAccount } from '../accounts/index.ts'
import { createWallet } from './index.ts'
import { assertAtRest } from '../../../test/sim/invariants.ts'
import { NO_WORK, Signer, allConfirmed, fundsOf, give, nano } from '../../../test/support/blocks.ts'
import { TestClock } from '../../../test/support/clock.ts'
import { openDevnet } from '../../../test/support/devnet.ts'
import { forEachEngine, freshUrl } from '../../../test/support/engines.ts'
import { openProcessWallets } from '../../../test/support/process-wallets.ts'
import { SEED, SeededRandom, newKey } from '../../../test/support/random.ts'
import { spawnTeller } from '../../../test/support/spawn-writer.ts'
import { until } from '../../../test/support/until.ts'
import { toStoreCtx } from '../../../test/support/sqlite-store.ts'

const script = fileURLToPath(new URL('../../../test/support/wallet-process.ts', import.meta.url))
const KILLS = 3
const WALLETS = 6
const TOLD_MAX = 20
const random = new SeededRandom(SEED)
const HOUR = 3_600_000
const MASTER_KEY = `test:${newKey()}`

forEachEngine((engine) => {
  test('a process killed while it sends loses no acknowledged send, and none is made twice (contract 4.2, rule 9)', async (t) => {
    const devnet = await openDevnet(t, { thresholds: NO_WORK })
    const storeUrl = await freshUrl(t, engine)
    const surroundings = { url: devnet.rpcUrl, wsUrl: devnet.wsUrl, masterKey: MASTER_KEY }
    const store = await openStore(storeUrl, systemClock)
    t.after(() => store.close())
    const { db } = store
    const context = toStoreCtx(store, systemClock)
    const account = await createAccount(context, { email: null, role: 'user', actor: OPERATOR })
    const first = await openProcessWallets(store, surroundings)
    for (let made = 0; made < WALLETS; made++) {
      const { address } = await createWallet(first.wallets.context, {
        accountId: account.id,
        actor: OPERATOR,
        purpose: 'cloud',
      })
      await give(devnet.node, fromAddress(address)!, nano(10_000))
    }
    await first.close()
    const destination = new Signer(7).address
    const args = [storeUrl, devnet.rpcUrl, devnet.wsUrl, account.id, destination, MASTER_KEY]

    const lines: string[] = []
    let next = spawnTeller(script, args)
    for (let kill = 1; kill <= KILLS; kill++) {
      const process = next
      process.start()
      if (kill < KILLS) next = spawnTeller(script, args)
      lines.push(...(await process.killAfter(1 + random.below(TOLD_MAX - 1))))
      // A dead process holds its leases for another ten seconds, which this test need not wait for.
      await db.updateTable('wallets').set({ lease_until: 0 }).execute()
    }

    const clock = new TestClock(Date.now() + HOUR)
    const last = await openProcessWallets(store, { ...surroundings, clock })
    await until(async () => {
      await last.wallets.jobs[0]!.run({}, new AbortController().signal)
      // What has just reached the ledger is confirmed a moment later, and is found by the next look.
      await allConfirmed(devnet.node)
      clock.advance(HOUR)
      const open = db.selectFrom('wallet_blocks').select('id').where('status', 'not in', ['confirmed', 'refused'])
      return (await open.execute()).length === 0
    })
    await last.close()
    const acknowledged = lines.map((line) => {
      const [, from = '', hash = ''] = line.split(' ')
      return { hash, from, destination, amount: RAW_PER_NANO }
    })
    assert.equal(new Set(acknowledged.map(({ hash }) => hash)).size, lines.length)
    const deposited = nano(WALLETS * 10_000)
    const world = { db, ledger: devnet.node, fundsOf: (address: string) => fundsOf(devnet.node, address), alarms: [] }
    await assertAtRest(world, { deposited, recipients: [destination], acknowledged })
    t.diagnostic(`${lines.length} sends told of, ${world.fundsOf(destination) / RAW_PER_NANO} made`)
  })
})
