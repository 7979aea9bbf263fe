import { type TestContext } from 'node:test'
import type { Devnet } from '../../src/devnet/index.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { Raw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { NO_WORK, give } from './blocks.ts'
import { TestClock } from './clock.ts'
import { openDevnet } from './devnet.ts'
import { emptyUrl } from './empty-store.ts'
import { EventRelay } from './event-relay.ts'
import { type Gateway, openGateway, sharedKeys } from './gateway.ts'
import { until } from './until.ts'

export interface World {
  clock: TestClock
  ledger: Devnet
  relay: EventRelay
  /** Starts a gateway on the same store, ledger and clock; several may run at once. */
  start(env?: Record<string, string>): Promise<Gateway>
  /** The administrator key of the first gateway. */
  key(): string
  /** Sends from the genesis account; a string is raw. */
  pay(address: string, amount: string | Raw): Promise<string>
}

/** A ledger, a store and a clock that outlive their gateways. */
export async function openWorld(t: TestContext, engine: StoreEngine = 'sqlite', thresholds = NO_WORK): Promise<World> {
  const clock = new TestClock()
  const ledger = await openDevnet(t, { thresholds, clock })
  const relay = await EventRelay.start(t, ledger.wsUrl)
  const common = {
    DATABASE_URL: await emptyUrl(t, engine),
    NODE_URLS: ledger.rpcUrl,
    NODE_WS_URLS: relay.url,
    NODE_NETWORK: 'dev',
    LIMIT_FREE_PER_MINUTE: '0',
    LIMIT_FREE_CONCURRENCY: '0',
    // Tests check often while they wait for a payment, and on a stopped clock the limit's minute never ends.
    LIMIT_CHECK_PER_MINUTE: '0',
    WORK_PRECOMPUTE: 'false',
    ...sharedKeys(),
  }
  let createdKey: string | undefined
  return {
    clock,
    ledger,
    relay,
    start: async (env = {}) => {
      const gateway = await openGateway(t, { ...common, ...env }, clock)
      createdKey ??= gateway.app.createdKey
      // Confirmations of a node are ignored until its network is known.
      const { confirmations, pool } = gateway.app.nodes
      await until(() => confirmations.connected || pool.upstreams.every(({ reachable }) => !reachable))
      return gateway
    },
    key: () => createdKey!,
    pay: (address, amount) => give(ledger.node, fromAddress(address)!, BigInt(amount) as Raw),
  }
}
