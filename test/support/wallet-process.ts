/*
 * Sends from wallets as fast as it can until it is killed: `node --import tsx test/support/wallet-process.ts STORE RPC WEBSOCKET ACCOUNT DESTINATION
 * MASTER_KEY`. It prints only acknowledged sends: `sent <wallet> <hash>`. It begins on any input.
 */
import { OPERATOR } from '../../src/kernel/actor.ts'
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { systemClock } from '../../src/infra/clock.ts'
import { openStore } from '../../src/store/schema.ts'
import { openIds, systemRandom } from '../../src/infra/random.ts'
import { RAW_PER_NANO } from '../../src/kernel/money.ts'
import { sendFromWallet } from '../../src/modules/wallets/domain/send.ts'
import { listOwnedWallets } from '../../src/modules/wallets/store.ts'
import { openProcessWallets } from './process-wallets.ts'

const [storeUrl, url, wsUrl, accountId, destination, masterKey] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
]
const WALLETS_MAX = 100

flushCompileCache()
await once(process.stdin, 'data')
const store = await openStore(storeUrl, systemClock)
const { db } = store
const ids = openIds(systemRandom)
const { wallets } = await openProcessWallets(store, { url, wsUrl, masterKey })
const ctx = { ...wallets.context, charged: <T>(_meter: string, run: (credits: number) => Promise<T>) => run(0) }
const settle = wallets.jobs[0]!

async function send(from: string): Promise<never> {
  for (;;) {
    const request = { accountId, from, destination, amount: RAW_PER_NANO, idempotencyKey: ids.next('key') }
    const hash = await sendFromWallet(ctx, { ...request, actor: OPERATOR })
    writeSync(1, `sent ${from} ${hash}\n`)
  }
}

/** Completes what the previous process has left. */
void settle.run({}, new AbortController().signal)
await Promise.all((await listOwnedWallets(db, accountId, WALLETS_MAX)).map(({ address }) => send(address)))
