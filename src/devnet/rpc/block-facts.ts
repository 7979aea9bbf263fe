import { toAddress } from '../../kernel/nano/address.ts'
import { hashBlock } from '../../kernel/nano/block.ts'
import { blockNotFound } from '../../kernel/nano/node-refusal.ts'
import type { Handler } from './handler.ts'

export const blockAccount: Handler = (node, request) => {
  const stored = node.ledger.store.findBlock(request.hash())
  if (!stored) throw blockNotFound()
  return { account: toAddress(stored.account) }
}

export const blockConfirm: Handler = (node, request) => {
  const stored = node.ledger.store.findBlock(request.hash())
  if (!stored) throw blockNotFound()
  node.requestElection(stored)
  return { started: '1' }
}

export const blockHash: Handler = (_node, request) => ({ hash: hashBlock(request.block()) })
