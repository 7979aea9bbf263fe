import type { PublicKey } from '../../kernel/nano/address.ts'
import { accountNotFound } from '../../kernel/nano/node-refusal.ts'
import type { LedgerNode } from '../node.ts'
import type { AccountRecord } from '../records.ts'

export function getAccount(node: LedgerNode, account: PublicKey): AccountRecord {
  const record = node.ledger.store.findAccount(account)
  if (!record) throw accountNotFound()
  return record
}
