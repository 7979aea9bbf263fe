import type { AddressInfo } from 'node:net'
import type { KnownAccount } from '../devnet/accounts.ts'
import { type Devnet } from '../devnet/index.ts'
import { closeServer, listen } from '../devnet/server.ts'
import { toLedgerView } from '../devnet/view.ts'
import { createExplorerServer } from '../http/explorer-server.tsx'
import type { LedgerNames } from '../kernel/ledger-view.ts'
import { BURN_ADDRESS, toAddress } from '../kernel/nano/address.ts'

interface ExplorerOptions {
  host: string
  port: number
  accounts: readonly KnownAccount[]
}

/** Serves the explorer of a ledger; returns its address, and how to stop it. */
export async function openExplorer(devnet: Devnet, { host, port, accounts }: ExplorerOptions) {
  const { node, rpcUrl } = devnet
  const names = toNames(toAddress(node.ledger.genesis.account), accounts)
  const server = createExplorerServer({
    view: toLedgerView(node),
    names,
    rpcUrl,
    onError: (error) => console.error(error),
  })
  await listen(server, host, port)
  const { port: taken } = server.address() as AddressInfo
  return { url: `http://${host}:${taken}`, close: () => closeServer(server) }
}

/** Names for the accounts of the banner. */
function toNames(genesis: string, accounts: readonly KnownAccount[]): LedgerNames {
  const names = new Map([
    [genesis, 'genesis'],
    [BURN_ADDRESS, 'burn'],
    ...accounts.map(({ index, address }): [string, string] => [address, `account ${index}`]),
  ])
  const addresses = new Map([...names].map(([address, name]) => [name, address]))
  return { nameOf: (address) => names.get(address), find: (name) => addresses.get(name.toLowerCase()) }
}
