import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { type Devnet, startDevnet } from './devnet/index.ts'
import type { Clock, Random } from './kernel/ports.ts'
import { EMBEDDED } from './upstreams.ts'

/** The embedded ledger runs when it is among the nodes; its addresses are left in the data folder for the tools. */
export async function startEmbedded(
  config: Config,
  { clock, random }: { clock: Clock; random: Random },
): Promise<Devnet | undefined> {
  if (!config.nodeUrls.some((url) => url.startsWith(EMBEDDED))) return undefined
  const devnet = await startDevnet({
    file: join(config.dataDir, 'devnet.db'),
    clock,
    random,
    port: config.devnetPort,
    wsPort: config.devnetWsPort,
    confirmAfterMilliseconds: config.devnetConfirmMilliseconds,
  })
  const addresses = { rpc: devnet.rpcUrl, websocket: devnet.wsUrl }
  writeFileSync(join(config.dataDir, 'devnet.json'), `${JSON.stringify(addresses, null, 2)}\n`)
  return devnet
}
