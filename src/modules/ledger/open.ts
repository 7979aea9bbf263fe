import type { LedgerView } from '../../kernel/ledger-view.ts'
import { type Module, offer } from '../../kernel/module.ts'
import { accountBalance, accountsBalances } from './actions/account-balance.ts'
import { accountBlockCount, accountRepresentative, accountWeight, delegatorsCount } from './actions/account-facts.ts'
import { accountGet, accountKey, nanoToRaw, rawToNano, validateAccountNumber } from './actions/conversions.ts'
import { accountHistory } from './actions/account-history.ts'
import { accountInfo } from './actions/account-info.ts'
import {
  accountsFrontiers,
  accountsPending,
  accountsReceivable,
  accountsRepresentatives,
} from './actions/many-accounts.ts'
import {
  activeDifficulty,
  availableSupply,
  confirmationQuorum,
  frontierCount,
  peers,
  telemetry,
  uptime,
  version,
  blockCount,
} from './actions/network-facts.ts'
import { blockAccount, blockConfirm, blockHash, blockInfo, blocksInfo } from './actions/block-info.ts'
import { blocks } from './actions/blocks.ts'
import { chain, successors } from './actions/chain.ts'
import { confirmationInfo } from './actions/confirmation-info.ts'
import { delegators, frontiers, representativesOnline, representatives } from './actions/lists.ts'
import { findBlock } from './actions/find-block.ts'
import { processBlock } from './actions/process.ts'
import { receivableExists, receivable } from './actions/receivable.ts'
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
