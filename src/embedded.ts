import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { type Devnet, startDevnet } from './devnet/index.ts'
import { NodeRefusal } from './devnet/errors.ts'
import { AppError } from './kernel/errors.ts'
import { fromAddress, toAddress } from './kernel/nano/address.ts'
import type { Failures } from './kernel/failures.ts'
import type { Clock, PlayLedger, Random } from './kernel/ports.ts'
import { EMBEDDED } from './upstreams.ts'

/** The embedded ledger runs when it is among the nodes; its addresses are left in the data folder for the tools. */
export async function startEmbedded(
  config: Config,
  { clock, random, failures }: { clock: Clock; random: Random; failures: Failures },
): Promise<Devnet | undefined> {
  if (!config.nodeUrls.some((url) => url.startsWith(EMBEDDED))) return undefined
  const devnet = await startDevnet({
    file: join(config.dataDir, 'devnet.db'),
    clock,
    random,
    onFailure: failures.failed('ledger.embedded'),
    port: config.devnetPort,
    wsPort: config.devnetWsPort,
    confirmAfterMilliseconds: config.devnetConfirmMilliseconds,
  })
  const addresses = { rpc: devnet.rpcUrl, websocket: devnet.wsUrl }
  writeFileSync(join(config.dataDir, 'devnet.json'), `${JSON.stringify(addresses, null, 2)}\n`)
  return devnet
}

/** The embedded ledger as developers may play with it. `onWrite` hears which address has a block that no node was told of. */
export function toPlayLedger({ node }: Devnet, onWrite: (address: string) => void): PlayLedger {
  return {
    get holds() {
      return node.holds
    },
    async fund(address, amount) {
      const hash = await refusable(() => node.fund(fromAddress(address)!, amount))
      onWrite(address)
      return hash
    },
    hold: () => node.hold(),
    confirm: (hash) => refusable(() => node.confirm(hash)),
    release: () => node.release(),
    listWaiting: () =>
      node.ledger
        .listUnconfirmed()
        .map(({ hash, account, amount }) => ({ hash, from: toAddress(account), amountRaw: amount })),
  }
}

async function refusable<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof NodeRefusal) throw new AppError('invalid_request', error.message)
    throw error
  }
}
