import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { lockOf } from '../devnet/file-lock.ts'
import { type Devnet, startDevnet } from '../devnet/index.ts'
import type { WorkSearch } from '../devnet/work-search.ts'
import { isEmbedded } from '../infra/node/upstreams.ts'
import { keepDatabasePrivate, writePrivateFile } from '../infra/private-files.ts'
import type { Scheduler } from '../infra/work/scheduler.ts'
import { AppError, Cancelled } from '../kernel/errors.ts'
import type { Failures } from '../kernel/failures.ts'
import { RAW_PER_NANO, toRaw } from '../kernel/money.ts'
import { fromAddress, toAddress } from '../kernel/nano/address.ts'
import { DEV_NETWORK, type NetworkName } from '../kernel/nano/network.ts'
import { NodeRefusal } from '../kernel/nano/node-request.ts'
import { WORK_THRESHOLDS, type WorkThresholds } from '../kernel/nano/work.ts'
import type { Clock, DevelopmentLedger, KnownName, Random } from '../kernel/ports.ts'
import { NEVER } from '../modules/names/index.ts'

/**
 * The file in a data folder that contains the addresses of the development ledger, for tools. It remains after the
 * ledger ends.
 */
export const addressesFileOf = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'devnet.json')

/** Opens the development ledger if it is among the nodes, and writes its addresses into the data folder for tools. */
export async function openDevelopmentLedger(
  config: Config,
  { clock, random, failures }: { clock: Clock; random: Random; failures: Failures },
): Promise<Devnet | undefined> {
  if (!isEmbedded(config)) return undefined
  const file = join(config.dataDir, 'devnet.db')
  for (const each of [file, lockOf(file)]) keepDatabasePrivate(each)
  const devnet = await startDevnet({
    file,
    clock,
    random,
    onFailure: failures.failed('ledger.embedded'),
    port: config.devnetPort,
    wsPort: config.devnetWsPort,
    // On a public gateway, anybody could use the public genesis key to pay any checkout.
    genesisIsClosed: !config.isLocal,
    representatives: config.devnetRepresentatives,
    confirmAfterMilliseconds: config.devnetConfirmMilliseconds,
    thresholds: WORK_THRESHOLDS[config.devnetWork],
  })
  const addresses = { rpc: devnet.rpcUrl, websocket: devnet.wsUrl }
  writePrivateFile(addressesFileOf(config), `${JSON.stringify(addresses, null, 2)}\n`)
  return devnet
}

/**
 * The work that our ledger requires. The setting may require the work of the live network, also when the ledger runs
 * elsewhere.
 */
export function thresholdsOf({ devnetWork }: Pick<Config, 'devnetWork'>, network: NetworkName): WorkThresholds {
  return WORK_THRESHOLDS[network === 'dev' ? devnetWork : network]
}

/** Lets the ledger's own port search with all threads of this machine: in one thread a live send would take an hour. */
export function lendThreads({ node }: Devnet, scheduler: Scheduler): void {
  if (scheduler.engines.some(({ kind }) => kind === 'cpu')) node.work.searchWith(searchIn(scheduler))
}

/** Runs the development ledger's requests for work in the scheduler of this machine. */
export function searchIn(scheduler: Pick<Scheduler, 'search'>): WorkSearch {
  return async (root, threshold, leaving) => {
    try {
      const search = { root, threshold, class: 'interactive', payer: 'ledger', leaving } as const
      return (await scheduler.search(search)).work
    } catch (error) {
      if (error instanceof Cancelled) return undefined
      if (error instanceof AppError) throw new NodeRefusal('Work generation cancellation or failure')
      throw error
    }
  }
}

/** Names for developers: `@faucet` is the treasury, `@bank` is the source of all money of this ledger. */
export function toPlayNames(treasury: string): KnownName[] {
  const bank = toAddress(DEV_NETWORK.genesisAccount)
  const play = { faucet: treasury, bank }
  return Object.entries(play).map(([name, address]) => ({
    name,
    address,
    createdAt: 0,
    expiresAt: NEVER,
    profile: {},
  }))
}

/** Test nano for the first start. A treasury that has, or once had, money gets none. */
export async function fundFromGenesis({ node }: Devnet, address: string, nano: number): Promise<void> {
  const account = fromAddress(address)!
  const { store } = node.ledger
  if (nano === 0 || store.findAccount(account) || store.hasReceivable(account)) return
  await node.fund(account, toRaw(BigInt(nano) * RAW_PER_NANO))
}

/** Sells requests to developers: the treasury is paid, and the network has the name of this ledger. */
export function withPlayPayments<C extends Pick<Config, 'x402PayTo' | 'x402Actions' | 'x402Network'>>(
  config: C,
  treasury: string,
): C {
  if (config.x402PayTo !== undefined || config.x402Actions.length === 0) return config
  const x402Network = config.x402Network === 'nano:mainnet' ? 'nano:dev' : config.x402Network
  return { ...config, x402PayTo: treasury, x402Network }
}

/**
 * The controls of the development ledger. `onWrite` is called, and awaited, with the address of each block that was
 * published without passing a node.
 */
export function toDevelopmentLedger({ node }: Devnet, onWrite: (address: string) => Promise<void>): DevelopmentLedger {
  return {
    get holds() {
      return node.holds
    },
    async fund(address, amount) {
      const hash = await refusable(() => node.fund(fromAddress(address)!, amount))
      await onWrite(address)
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
