import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { addressesFileOf } from '../app/development-ledger.ts'
import { findFact, keepFact } from '../infra/db/facts.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import { GENESIS_HASHES, type LedgerIdentity, type NetworkName } from '../kernel/nano/network.ts'
import { findServiceWallet } from '../modules/wallets/index.ts'
import { isEmbedded } from '../infra/node/upstreams.ts'

type LedgerCtx = Pick<StoreCtx, 'db' | 'clock'>
type LedgerConfig = Pick<Config, 'nodeUrls' | 'nodeNetwork' | 'dataDir'>

const OWN_STORE =
  'Give the other ledger a store of its own: another DATA_DIR, and another DATABASE_URL where one is set.'

/** The ledger of the settings; on some networks its first block is not known in advance. */
function ledgerOf(config: Pick<Config, 'nodeUrls' | 'nodeNetwork'>): LedgerIdentity {
  const network = isEmbedded(config) ? 'dev' : config.nodeNetwork
  return { network, genesis: GENESIS_HASHES[network] }
}

/**
 * The ledger of the store and of the settings, which must be the same: otherwise test nano and real money would be added up in one
 * report. A store belongs to the ledger with which it was first opened. Call this before the development ledger writes its files.
 */
export async function claimLedger(config: LedgerConfig, ctx: LedgerCtx): Promise<LedgerIdentity> {
  const meant = ledgerOf(config)
  const kept = await findLedger(ctx)
  if (kept) return requireSame(meant, kept)
  const wasInUse = (await findServiceWallet(ctx.db, 'treasury')) !== undefined
  if (wasInUse) requireNoTrace(config, meant)
  return meant.genesis === undefined ? meant : rememberLedger(ctx, meant)
}

/** Remembers a ledger whose first block a node has reported, unless the store has one already; refuses another one. */
export async function rememberLedger({ db, clock }: LedgerCtx, ledger: LedgerIdentity): Promise<LedgerIdentity> {
  const kept = await keepFact(db, { name: 'ledger', value: JSON.stringify(ledger), now: clock.now() })
  return requireSame(ledger, JSON.parse(kept) as LedgerIdentity)
}

/** For a network without a fixed first block: remembers the one that the nodes have agreed on. */
export function ledgerLearned(network: NetworkName, ctx: LedgerCtx & Pick<StoreCtx, 'failures'>) {
  return (genesis: string): void => {
    rememberLedger(ctx, { network, genesis }).catch(ctx.failures.failed('store.ledger'))
  }
}

async function findLedger({ db }: LedgerCtx): Promise<LedgerIdentity | undefined> {
  const kept = await findFact(db, 'ledger')
  return kept === undefined ? undefined : (JSON.parse(kept) as LedgerIdentity)
}

function requireSame(meant: LedgerIdentity, kept: LedgerIdentity): LedgerIdentity {
  const isSame = meant.network === kept.network && (meant.genesis ?? kept.genesis) === kept.genesis
  if (isSame) return kept
  throw new Error(
    `This store belongs to ${describe(kept)}, and the settings name ${describe(meant)}. ${OWN_STORE} Or set NODE_URLS and NODE_NETWORK to what they were.`,
  )
}

/** For a used store from before stores remembered their ledger: the files in the data folder show which one it was. */
function requireNoTrace(config: LedgerConfig, meant: LedgerIdentity): void {
  const file = addressesFileOf(config)
  const wasEmbedded = existsSync(file)
  if (wasEmbedded && meant.network !== 'dev') {
    throw new Error(
      `This store is in the same folder as a development ledger (${file}), and the settings name ${describe(meant)}. ${OWN_STORE} If this store has never been used with the development ledger, remove that file and start again.`,
    )
  }
  if (!wasEmbedded && isEmbedded(config)) {
    throw new Error(
      `This store was used with nodes, and the settings name the development ledger. Set NODE_URLS to its nodes. ${OWN_STORE}`,
    )
  }
}

const describe = ({ network, genesis }: LedgerIdentity) =>
  `the ledger of the ${network} network${genesis === undefined ? '' : ` that begins with ${genesis}`}`
