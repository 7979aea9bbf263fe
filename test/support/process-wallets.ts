import { loadConfig } from '../../src/config/config.ts'
import { systemClock } from '../../src/infra/clock.ts'
import type { Store } from '../../src/infra/db/open.ts'
import { openIds } from '../../src/infra/random.ts'
import { Nodes } from '../../src/infra/node/index.ts'
import { GENESIS_HASHES } from '../../src/kernel/nano/network.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import { receiveFailures } from './failures.ts'
import { openProcessContext } from './open-wallets.ts'
import { testRandom } from './random.ts'

export interface Surroundings {
  url: string
  wsUrl: string
  masterKey: string
  clock?: Clock
}

/** Wallets as in a whole process: the real store and the real node client, without work. */
export async function openProcessWallets(
  { db, notices }: Store,
  { url, wsUrl, masterKey, clock = systemClock }: Surroundings,
) {
  const upstream = { name: 'ledger', url, wsUrl, role: 'primary' as const, weight: 1, headers: {}, connectionsMax: 16 }
  const failures = receiveFailures()
  const nodes = new Nodes({
    upstreams: [upstream],
    ledger: { network: 'dev', genesis: GENESIS_HASHES.dev, thresholds: WORK_THRESHOLDS.dev },
    agreement: { nodes: 1, above: [], alone: 'wait', waitMilliseconds: 10_000 },
    onDisagreement: () => undefined,
    cacheBytesMax: 0,
    clock: systemClock,
    random: testRandom,
    failures,
  })
  await nodes.start()
  const wakeJobs = () => undefined
  const wallets = await openProcessContext(loadConfig({ WALLET_KEYS: masterKey, WALLET_RECEIVE_MIN_NANO: '0' }), {
    store: { db, clock, ids: openIds(testRandom), random: testRandom, wakeJobs, notifyAccount: wakeJobs, failures },
    node: nodes.forRequest(),
    work: {
      offered: true,
      find: () => undefined,
      generate: () => Promise.resolve({ work: '0'.repeat(16), value: 0n }),
      cancel: () => false,
      prepare: () => undefined,
      markAsked: () => Promise.resolve(),
    },
    notices,
    confirmations: nodes.confirmations,
    alarm: (kind, { reason }) => {
      throw new Error(`${kind}: ${reason}`)
    },
  })
  await wallets.start()
  const close = async () => {
    await wallets.close()
    await nodes.close()
  }
  return { wallets, close }
}
