import { CONTROL_ACTIONS, CONTROL_IS_DISABLED } from '../../kernel/nano/control-actions.ts'
import { type NodeRequest, refusal } from '../../kernel/nano/node-request.ts'
import { type Answer, Entries } from '../../kernel/nano/node-answer.ts'
import { type Fault, LostAnswer } from '../faults.ts'
import type { LedgerNode } from '../node.ts'
import {
  accountBalance,
  accountBlockCount,
  accountGet,
  accountHistory,
  accountInfo,
  accountKey,
  accountRepresentative,
  accountWeight,
  accountsBalances,
  accountsFrontiers,
  accountsRepresentatives,
  frontiers,
  history,
  validateAccountNumber,
} from './accounts.ts'
import { blockCreate } from './block-create.ts'
import {
  blockAccount,
  blockConfirm,
  blockHash,
  blockInfo,
  blocks,
  blocksInfo,
  chain,
  confirmationHistory,
  confirmationInfo,
  confirmationQuorum,
  successors,
} from './blocks.ts'
import { openControls } from './controls.ts'
import { type Handler, deprecated } from './handler.ts'
import { deterministicKey, keyCreate, keyExpand, sign } from './keys.ts'
import {
  availableSupply,
  blockCount,
  frontierCount,
  peers,
  telemetry,
  uncheckedClear,
  uptime,
  version,
} from './network.ts'
import { processBlock } from './process.ts'
import { accountsReceivable, receivable, receivableExists } from './receivable.ts'
import { delegators, delegatorsCount, representatives, representativesOnline } from './representatives.ts'
import { nanoToRaw, oldUnits, rawToNano } from './units.ts'
import { activeDifficulty, workCancel, workGenerate, workValidate } from './work.ts'

/** Served only while control is enabled. */
const CONTROL: Record<string, Handler> = {
  block_create: blockCreate,
  unchecked_clear: uncheckedClear,
  work_cancel: workCancel,
  work_generate: workGenerate,
  ...openControls((name) => Object.hasOwn(OPEN, name) || (Object.hasOwn(CONTROL, name) && !isOurs(name))),
}

const OPEN: Record<string, Handler> = {
  account_balance: accountBalance,
  account_block_count: accountBlockCount,
  account_count: frontierCount,
  account_get: accountGet,
  account_history: accountHistory,
  account_info: accountInfo,
  account_key: accountKey,
  account_representative: accountRepresentative,
  account_weight: accountWeight,
  accounts_balances: accountsBalances,
  accounts_frontiers: accountsFrontiers,
  accounts_pending: deprecated(accountsReceivable),
  accounts_receivable: accountsReceivable,
  accounts_representatives: accountsRepresentatives,
  active_difficulty: activeDifficulty,
  available_supply: availableSupply,
  block: blockInfo,
  block_account: blockAccount,
  block_confirm: blockConfirm,
  block_count: blockCount,
  block_hash: blockHash,
  block_info: blockInfo,
  blocks,
  blocks_info: blocksInfo,
  chain,
  confirmation_history: confirmationHistory,
  confirmation_info: confirmationInfo,
  confirmation_quorum: confirmationQuorum,
  delegators,
  delegators_count: delegatorsCount,
  deterministic_key: deterministicKey,
  frontier_count: frontierCount,
  frontiers,
  history: deprecated(history),
  key_create: keyCreate,
  key_expand: keyExpand,
  nano_to_raw: nanoToRaw,
  peers,
  pending: deprecated(receivable),
  pending_exists: deprecated(receivableExists),
  process: processBlock,
  raw_to_nano: rawToNano,
  receivable,
  receivable_exists: receivableExists,
  representatives,
  representatives_online: representativesOnline,
  sign,
  successors,
  telemetry,
  uptime,
  validate_account_number: validateAccountNumber,
  version,
  work_validate: workValidate,
  ...oldUnits,
}

/** A fault never applies to a control, so every fault can be ended. */
const isOurs = (action: string) => action.startsWith('devnet_')

/** Finds and runs the action of a request. */
export async function answerRequest(node: LedgerNode, request: NodeRequest, control: boolean): Promise<Answer> {
  const action = request.text('action')
  const guarded = Object.hasOwn(CONTROL, action) || CONTROL_ACTIONS.has(action)
  const forced = action === 'process' && request.flag('force')
  if ((guarded || forced) && !control) throw refusal(CONTROL_IS_DISABLED)
  const handler = Object.hasOwn(OPEN, action)
    ? OPEN[action]
    : Object.hasOwn(CONTROL, action)
      ? CONTROL[action]
      : undefined
  if (!handler) throw refusal('Unknown command')
  const fault = isOurs(action) ? undefined : node.faults.take(action)
  const run = () => node.reading(() => handler(node, request))
  const looks = Object.hasOwn(OPEN, action) && action !== 'process'
  const answer = await (fault ? suffer(node, fault, { looks, answer: run }) : run())
  if (!request.usesDeprecatedFormat || typeof answer === 'string' || Array.isArray(answer) || answer instanceof Entries)
    return answer
  return { deprecated_account_format: '1', ...answer }
}

/** Applies the fault that a test has ordered. `looks` says whether the action only reads. */
async function suffer(
  node: LedgerNode,
  { kind, milliseconds }: Fault,
  { looks, answer }: { looks: boolean; answer: () => Answer | Promise<Answer> },
): Promise<Answer> {
  switch (kind) {
    case 'error':
      throw refusal('Internal server error in RPC')
    case 'delay':
      await node.faults.wait(milliseconds)
      return answer()
    case 'drop':
      // The action runs, but its client gets no answer. Every program that sends money must handle this.
      await answer()
      throw new LostAnswer()
    case 'lag':
      return looks ? lookBack(node, milliseconds, answer) : answer()
  }
}

function lookBack<T>(node: LedgerNode, milliseconds: number, look: () => T): T {
  const { undo } = node.ledger.store
  const moment = node.faults.time() - milliseconds
  if (node.snapshots.isEmpty) undo.prune(moment)
  return undo.lookBack(moment, look)
}
