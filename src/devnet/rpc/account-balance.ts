import type { PublicKey } from '../../kernel/nano/address.ts'
import type { Answer } from '../answer.ts'
import type { LedgerNode } from '../node.ts'
import type { Handler } from './handler.ts'

export const accountBalance: Handler = (node, request) =>
  balanceOf(node, request.account(), request.flag('include_only_confirmed', true))

/** Balance and waiting sum of an account; by default both count what is confirmed only. */
export function balanceOf(node: LedgerNode, account: PublicKey, confirmedOnly: boolean): { [name: string]: Answer } {
  const { ledger } = node
  const record = ledger.store.findAccount(account)
  const confirmed = confirmedOnly && record ? ledger.store.findBlock(record.confirmedFrontier)?.balance : undefined
  const balance = confirmedOnly ? (confirmed ?? 0n) : (record?.balance ?? 0n)
  const receivable = ledger.receivableSum(account, confirmedOnly).toString()
  return { balance: balance.toString(), pending: receivable, receivable }
}
