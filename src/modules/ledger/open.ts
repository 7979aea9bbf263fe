import type { LedgerView } from '../../kernel/ledger-view.ts'
import { type Module, offer } from '../../kernel/module.ts'
import { accountBalance } from './actions/account-balance.ts'
import { accountBlockCount, accountRepresentative, accountWeight, delegatorsCount } from './actions/account-facts.ts'
import { accountGet } from './actions/account-get.ts'
import { accountHistory } from './actions/account-history.ts'
import { accountInfo } from './actions/account-info.ts'
import { accountKey } from './actions/account-key.ts'
import { accountsBalances } from './actions/accounts-balances.ts'
import { accountsFrontiers } from './actions/accounts-frontiers.ts'
import { accountsPending } from './actions/accounts-pending.ts'
import { accountsReceivable } from './actions/accounts-receivable.ts'
import { accountsRepresentatives } from './actions/accounts-representatives.ts'
import {
  activeDifficulty,
  availableSupply,
  confirmationQuorum,
  frontierCount,
  peers,
  telemetry,
  uptime,
  version,
} from './actions/network-facts.ts'
import { blockAccount } from './actions/block-account.ts'
import { blockConfirm } from './actions/block-confirm.ts'
import { blockCount } from './actions/block-count.ts'
import { blockHash } from './actions/block-hash.ts'
import { blockInfo } from './actions/block-info.ts'
import { blocksInfo } from './actions/blocks-info.ts'
import { blocks } from './actions/blocks.ts'
import { chain, successors } from './actions/chain.ts'
import { confirmationInfo } from './actions/confirmation-info.ts'
import { delegators } from './actions/delegators.ts'
import { findBlock } from './actions/find-block.ts'
import { frontiers } from './actions/frontiers.ts'
import { nanoToRaw } from './actions/nano-to-raw.ts'
import { processBlock } from './actions/process.ts'
import { rawToNano } from './actions/raw-to-nano.ts'
import { receivableExists } from './actions/receivable-exists.ts'
import { receivable } from './actions/receivable.ts'
import { representativesOnline } from './actions/representatives-online.ts'
import { representatives } from './actions/representatives.ts'
import { validateAccountNumber } from './actions/validate-account-number.ts'
import type { LedgerContext } from './context.ts'
import { explorerPages, explorerRoutes } from './routes/explorer.tsx'

/** In the order in which the reference shows them. */
export const LEDGER_ACTIONS = [
  accountInfo,
  accountBalance,
  accountsBalances,
  accountHistory,
  receivable,
  accountsReceivable,
  accountsPending,
  receivableExists,
  blockInfo,
  blocksInfo,
  findBlock,
  processBlock,
  version,
  blockCount,
  accountsFrontiers,
  frontiers,
  accountsRepresentatives,
  accountRepresentative,
  accountWeight,
  accountBlockCount,
  accountKey,
  accountGet,
  validateAccountNumber,
  nanoToRaw,
  rawToNano,
  blocks,
  blockAccount,
  blockConfirm,
  blockHash,
  chain,
  successors,
  delegators,
  delegatorsCount,
  representatives,
  representativesOnline,
  confirmationInfo,
  confirmationQuorum,
  activeDifficulty,
  availableSupply,
  frontierCount,
  telemetry,
  peers,
  uptime,
]

/** Opens the ledger module: reading the ledger and publishing blocks. A development ledger also gets its explorer. */
export const openLedger = (context: LedgerContext, view?: LedgerView): Module => ({
  ...offer('ledger', context, LEDGER_ACTIONS),
  ...(view && { pages: explorerPages(view, context.names), routes: explorerRoutes(view, context.names) }),
})
