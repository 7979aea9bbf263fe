import { parseHex, rootOf } from '../../kernel/nano/block.ts'
import {
  difficultyLimit,
  formatMultiplier,
  formatWork,
  fromMultiplier,
  toMultiplier,
  workValue,
} from '../../kernel/nano/work.ts'
import type { Members } from '../answer.ts'
import { refusal } from '../errors.ts'
import type { LedgerNode } from '../node.ts'
import type { NodeRequest } from '../request.ts'
import type { Handler } from './handler.ts'
import { ledgerThreshold } from './ledger-threshold.ts'

export const workGenerate: Handler = async (node, request) => {
  checkVersion(request)
  const account = request.find('account')
  if (account !== undefined) request.toAccount(account)
  const hash = request.hash()
  const { thresholds } = node.ledger
  let difficulty = readDifficulty(request, thresholds.send)
  if (difficulty < thresholds.receive) throw difficultyOutOfRange()
  checkReachable(node, difficulty)
  if (request.has('block')) {
    const block = request.block()
    if (hash !== rootOf(block)) throw refusal('Root mismatch for block')
    if (!request.has('difficulty') && !request.has('multiplier')) difficulty = ledgerThreshold(node, block)
    if (workValue(hash, block.work) >= difficulty) {
      throw refusal('Provided work is already enough for given difficulty')
    }
  }
  const work = await node.generateWork(hash, difficulty)
  if (work === undefined) throw refusal('Cancelled')
  return { hash, work, ...strength(node, workValue(hash, work)) }
}

export const workCancel: Handler = (node, request) => {
  node.cancelWork(request.hash())
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

/** `work`, where a missing one counts as zero. */
export function readWork(request: NodeRequest): string {
  const text = request.find('work')
  const work = text === undefined ? '0'.repeat(16) : parseHex(text, 16)
  if (work === undefined) throw refusal('Bad work')
  return work.toLowerCase()
}

export function checkVersion(request: NodeRequest): void {
  if ((request.find('version') ?? 'work_1') !== 'work_1') throw refusal('Bad work version')
}

const difficultyOutOfRange = () => refusal('Difficulty above config limit or below publish threshold')

/** Refuses what would keep the ledger searching for ever. */
export function checkReachable(node: LedgerNode, difficulty: bigint): void {
  if (difficulty > difficultyLimit(node.ledger.thresholds.send)) throw difficultyOutOfRange()
}

/** `difficulty`, overruled by `multiplier`; with neither, the base. */
export function readDifficulty(request: NodeRequest, base: bigint): bigint {
  const difficultyText = request.find('difficulty')
  const difficulty = difficultyText === undefined ? undefined : parseHex(difficultyText, 16)
  if (difficultyText !== undefined && difficulty === undefined) throw refusal('Bad difficulty')
  const multiplierText = request.find('multiplier')
  if (multiplierText === undefined) return difficulty === undefined ? base : BigInt(`0x${difficulty}`)
  const multiplier = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(multiplierText) ? Number(multiplierText) : NaN
  if (!(multiplier > 0)) throw refusal('Bad multiplier')
  return fromMultiplier(multiplier, base)
}

function strength(node: LedgerNode, value: bigint): Members {
  return {
    difficulty: formatWork(value),
    multiplier: formatMultiplier(toMultiplier(value, node.ledger.thresholds.send)),
  }
}
