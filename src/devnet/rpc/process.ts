import { type Block, ZERO_HASH } from '../../kernel/nano/block.ts'
import { entryThreshold, epochOfLink } from '../../kernel/nano/network.ts'
import { refusal } from '../../kernel/nano/node-request.ts'
import { Candidate } from '../validate.ts'
import type { LedgerNode } from '../node.ts'
import type { Handler } from './handler.ts'

export const processBlock: Handler = async (node, request) => {
  const block = request.block()
  if (node.genesisIsClosed && block.type === 'state' && block.account === node.ledger.genesis.account) {
    throw refusal('The genesis account of this ledger is closed')
  }
  const subtype = request.find('subtype') ?? ''
  const check = (candidate: Candidate) => {
    if (subtype !== '' && block.type === 'state') checkSubtype(node, block, subtype)
    if (!candidate.hasWork(entryThreshold(node.ledger.thresholds, block.type))) {
      throw refusal('Block work is less than threshold')
    }
    if (request.flag('async') && block.type !== 'state') throw refusal('Must be a state block')
  }
  if (request.flag('async')) {
    check(new Candidate(block))
    // No caller waits: with `async` the answer only confirms the start.
    void node.process(block).catch(node.onFailure)
    return { started: '1' }
  }
  const result = await node.process(block, { check, force: request.flag('force') })
  if ('refused' in result) throw refusal(result.refused)
  return { hash: result.hash }
}

/**
 * Checks the subtype that the caller named against the account's current state, before the ledger validates the block.
 */
function checkSubtype(node: LedgerNode, block: Block & { type: 'state' }, subtype: string): void {
  const { store } = node.ledger
  const opens = block.previous === ZERO_HASH
  if (!opens && !store.hasBlock(block.previous)) throw refusal('Gap previous block')
  const balance = store.findAccount(block.account)?.balance ?? 0n
  const wrongBalance = () => refusal('Invalid block balance for given subtype')
  const wrongPrevious = () => refusal('Invalid previous block for given subtype')
  switch (subtype) {
    case 'send':
      if (block.balance >= balance) throw wrongBalance()
      return
    case 'receive':
      if (block.balance < balance) throw wrongBalance()
      return
    case 'open':
      if (!opens) throw wrongPrevious()
      return
    case 'change':
      if (block.balance !== balance) throw wrongBalance()
      if (opens) throw wrongPrevious()
      return
    case 'epoch':
      if (block.balance !== balance) throw wrongBalance()
      if (epochOfLink(block.link) === undefined) throw refusal('Invalid epoch link')
      return
    default:
      throw refusal('Invalid block subtype')
  }
}
