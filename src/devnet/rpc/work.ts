import { type Block, ZERO_HASH, previousOf } from '../../kernel/nano/block.ts'
import { type Epoch, thresholdFor } from '../../kernel/nano/network.ts'
import { refusal } from '../../kernel/nano/node-request.ts'
import { checkVersion, readDifficulty, readWork, readWorkQuestion, refuseEnough } from '../../kernel/nano/node-work.ts'
import { formatMultiplier, formatWork, toMultiplier, workValue } from '../../kernel/nano/work.ts'
import type { Members } from '../../kernel/nano/node-answer.ts'
import type { LedgerNode } from '../node.ts'
import type { Handler } from './handler.ts'

export const workGenerate: Handler = async (node, request) => {
  const { root, block, difficulty: asked, isNamed } = readWorkQuestion(request, node.ledger.thresholds)
  const difficulty = block === undefined || isNamed ? asked : ledgerThreshold(node, block)
  refuseEnough(root, block, difficulty)
  const work = await node.work.find(root, difficulty)
  if (work === undefined) throw refusal('Cancelled')
  return { hash: root, work, ...strength(node, workValue(root, work)) }
}

export const workCancel: Handler = (node, request) => {
  node.work.cancel(request.hash())
  return { success: '' }
}

export const workValidate: Handler = (node, request) => {
  const hash = request.hash()
  checkVersion(request)
  const { thresholds } = node.ledger
  const difficulty = readDifficulty(request, thresholds.send)
  const value = workValue(hash, readWork(request))
  const answer: Members = {}
  if (request.has('difficulty')) answer.valid = value >= difficulty ? '1' : '0'
  answer.valid_all = value >= thresholds.send ? '1' : '0'
  answer.valid_receive = value >= thresholds.receive ? '1' : '0'
  return { ...answer, ...strength(node, value) }
}

export const activeDifficulty: Handler = (node, request) => {
  const send = formatWork(node.ledger.thresholds.send)
  const receive = formatWork(node.ledger.thresholds.receive)
  return {
    deprecated: '1',
    network_minimum: send,
    network_receive_minimum: receive,
    network_current: send,
    network_receive_current: receive,
    multiplier: '1',
    ...(request.flag('include_trend') && { difficulty_trend: [formatMultiplier(1)] }),
  }
}

function strength(node: LedgerNode, value: bigint): Members {
  return {
    difficulty: formatWork(value),
    multiplier: formatMultiplier(toMultiplier(value, node.ledger.thresholds.send)),
  }
}

/** The threshold that the block must meet on the current ledger; the base threshold if the subtype is unknown. */
export function ledgerThreshold({ ledger }: LedgerNode, block: Block): bigint {
  const { store, thresholds } = ledger
  const previous = previousOf(block) === ZERO_HASH ? undefined : store.findBlock(previousOf(block))
  let epoch: Epoch = previous?.epoch ?? 0
  if (block.type !== 'state') return previous ? thresholdFor(thresholds, epoch, false) : thresholds.send
  const sends = previous !== undefined && previous.balance > block.balance
  const source = sends || block.link === ZERO_HASH ? undefined : store.findBlock(block.link)
  if (source && store.findReceivable(block.account, block.link)) {
    epoch = source.epoch > epoch ? source.epoch : epoch
    return thresholdFor(thresholds, epoch, true)
  }
  return previous ? thresholdFor(thresholds, epoch, false) : thresholds.send
}
