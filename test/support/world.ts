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
  /** Sends from the genesis account; a text is raw. */
  pay(address: string, amount: string | Raw): Promise<string>
}

/** A ledger, a store and a clock that outlive the gateways on them. */
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
    // A test that waits for a payment looks often, and the minute of a clock that stands still never ends.
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
      // A node that cannot be asked which ledger it has is not heard.
      const { confirmations, pool } = gateway.app.nodes
      await until(() => confirmations.connected || pool.upstreams.every(({ reachable }) => !reachable))
      return gateway
    },
    key: () => createdKey!,
    pay: (address, amount) => give(ledger.node, fromAddress(address)!, BigInt(amount) as Raw),
  }
}
