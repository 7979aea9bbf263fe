import { type Config, storeUrl } from './config.ts'
import { openDataFolder } from './data-folder.ts'
import type { Devnet } from './devnet/index.ts'
import { startEmbedded } from './embedded.ts'
import type { Store } from './infra/db/open.ts'
import { openStore } from './schema.ts'
import type { Log } from './infra/log.ts'
import type { Failures } from './kernel/failures.ts'
import type { LedgerIdentity } from './kernel/nano/networks.ts'
import type { Clock, Random, SecretBox } from './kernel/ports.ts'
import { openSecrets } from './secrets.ts'
import { claimLedger } from './store-ledger.ts'

/** What a gateway is given from outside. */
export interface Surroundings {
  clock: Clock
  /** The embedded ledger's own, where it does not live by the gateway's: a network waits for nobody. */
  ledgerClock?: Clock
  random: Random
  log: Log
}

/** What everything else stands on. */
interface Foundation {
  store: Store
  secrets: SecretBox
  /** The one ledger that the store and the nodes are of. */
  ledger: LedgerIdentity
  devnet: Devnet | undefined
}

/** Opens the data folder, the store and the embedded ledger, and refuses what does not belong together before anything changes. */
export async function openFoundation(
  config: Config,
  { clock, ledgerClock = clock, random, log, failures }: Surroundings & { failures: Failures },
  opened: AsyncDisposableStack,
): Promise<Foundation> {
  openDataFolder(config, log)
  const store = await openStore(storeUrl(config), clock, { failures })
  opened.defer(() => store.close())
  // All gateways on a store live by one clock, its own, so that their leases and deadlines mean the same.
  const unfollow = store.readTime && (await clock.follow?.(store.readTime, failures.lost('clock.follow')))
  opened.defer(() => unfollow?.())
  const { db } = store
  const ledger = await claimLedger(config, { db, clock })
  const secrets = await openSecrets(config, { db, clock, random })
  const devnet = await startEmbedded(config, { clock: ledgerClock, random, failures })
  opened.defer(() => devnet?.close())
  return { store, secrets, ledger, devnet }
}
