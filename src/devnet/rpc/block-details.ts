import { toAddress } from '../../kernel/nano/address.ts'
import { type Block, toBlockJson } from '../../kernel/nano/block.ts'
import type { Answer } from '../answer.ts'
import { writeAnswer } from '../answer.ts'
import type { LedgerNode } from '../node.ts'
import type { StoredBlock } from '../records.ts'

/** A block's contents: an object when `json_block` was asked for, else JSON inside a string. */
export function blockContents(block: Block, asObject: boolean): Answer {
  return asObject ? toBlockJson(block) : writeAnswer(toBlockJson(block))
}

/** The members that `block_info` and `blocks_info` share. */
export function blockDetails(node: LedgerNode, stored: StoredBlock, asObject: boolean): { [name: string]: Answer } {
  const { account, amount, balance, height, timestamp, successor, block, subtype } = stored
  return {
    block_account: toAddress(account),
    amount: amount.toString(),
    balance: balance.toString(),
    height: height.toString(),
    local_timestamp: timestamp.toString(),
    successor,
    confirmed: String(node.ledger.isConfirmed(stored)),
    contents: blockContents(block, asObject),
    ...(subtype && { subtype }),
  }
}
