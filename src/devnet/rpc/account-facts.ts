import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { parseHex } from '../../kernel/nano/block.ts'
import { refusal } from '../../kernel/nano/node-refusal.ts'
import { getAccount } from './get-account.ts'
import type { Handler } from './handler.ts'

export const accountBlockCount: Handler = (node, request) => ({
  block_count: getAccount(node, request.account()).blockCount.toString(),
})

export const accountRepresentative: Handler = (node, request) => ({
  representative: toAddress(getAccount(node, request.account()).representative),
})

export const accountWeight: Handler = (node, request) => ({
  weight: node.ledger.store.weightOf(request.account()).toString(),
})

export const accountKey: Handler = (_node, request) => ({ key: request.account() })

export const accountGet: Handler = (_node, request) => {
  const key = parseHex(request.text('key'), 64)
  if (key === undefined) throw refusal('Bad public key')
  return { account: toAddress(key) }
}

export const validateAccountNumber: Handler = (_node, request) => {
  const text = request.text('account')
  if (fromAddress(text) === undefined) return { valid: '0' }
  // Read as every account is, so that an old separator is mentioned.
  request.toAccount(text)
  return { valid: '1' }
}
