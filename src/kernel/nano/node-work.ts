import { type Block, parseHex, rootOf } from './block.ts'
import { type NodeRequest, refusal } from './node-request.ts'
import { type WorkThresholds, difficultyLimit, fromMultiplier, workValue } from './work.ts'

type Thresholds = Pick<WorkThresholds, 'send' | 'receive'>

interface WorkQuestion {
  root: string
  /** The requested difficulty, or the default. */
  difficulty: bigint
  /** The block that needs the work. Unless the request names a difficulty, it follows from this block. */
  block: Block | undefined
  isNamed: boolean
}

/** Reads a `work_generate` in the node's order, so that several wrong parameters give the same error as in a node. */
export function readWorkQuestion(request: NodeRequest, thresholds: Thresholds): WorkQuestion {
  checkVersion(request)
  const account = request.find('account')
  if (account !== undefined) request.toAccount(account)
  const root = request.hash()
  const difficulty = readDifficulty(request, thresholds.send)
  if (difficulty < thresholds.receive) throw outOfRange()
  checkReachable(request, difficulty, thresholds)
  const isNamed = request.has('difficulty') || request.has('multiplier')
  if (!request.has('block')) return { root, difficulty, block: undefined, isNamed }
  const block = request.block()
  if (root !== rootOf(block)) throw refusal('Root mismatch for block')
  return { root, difficulty, block, isNamed }
}

/** Refuses to search for a block that already has enough work. */
export function refuseEnough(root: string, block: Block | undefined, difficulty: bigint): void {
  if (block === undefined || workValue(root, block.work) < difficulty) return
  throw refusal('Provided work is already enough for given difficulty')
}

/** `work`; a missing one is zero, as in a node. */
export function readWork(request: NodeRequest): string {
  const text = request.find('work')
  const work = text === undefined ? '0'.repeat(16) : parseHex(text, 16)
  if (work === undefined) throw refusal('Bad work')
  return work.toLowerCase()
}

export function checkVersion(request: NodeRequest): void {
  if ((request.find('version') ?? 'work_1') !== 'work_1') throw refusal('Bad work version')
}

const outOfRange = () => refusal('Difficulty above config limit or below publish threshold')

/** Refuses a difficulty for which any machine would search for ever. */
export function checkReachable(request: NodeRequest, difficulty: bigint, { send }: Pick<Thresholds, 'send'>): void {
  const by = request.has('multiplier') ? 'multiplier' : 'difficulty'
  if (difficulty > difficultyLimit(send, by)) throw outOfRange()
}

/** `multiplier`, else `difficulty`, else the default. */
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
