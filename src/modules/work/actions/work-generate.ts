import Type from 'typebox'
import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import type { Caller, Ctx } from '../../../kernel/ctx.ts'
import { AppError, LedgerRefusal } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type Block, ZERO_HASH, rootOf } from '../../../kernel/nano/block.ts'
import { readWorkQuestion, refuseEnough } from '../../../kernel/nano/node-work.ts'
import {
  difficultyLimit,
  formatMultiplier,
  formatWork,
  fromMultiplier,
  toMultiplier,
} from '../../../kernel/nano/work.ts'
import type { FoundWork } from '../../../kernel/ports.ts'
import { parseRaw } from '../../../kernel/money.ts'
import { textOf } from '../../../kernel/shape.ts'
import { readBlock } from '../../ledger/index.ts'
import { type WorkRoom, requireWork } from '../room.ts'

export const workGenerate = action({
  name: 'work_generate',
  ofNode: true,
  summary: 'Proof of work for the root of the next block.',
  input: input({
    hash: field.hash,
    difficulty: optional(field.difficulty),
    multiplier: optional(field.multiplier),
    subtype: optional(field.subtype),
    block: optional(field.block),
  }),
  example: {
    request: { hash: 'BC955907A25186B1E55B353AEC452E21844369A44A2C6C9CCBAA5E2599698B02' },
    response: {
      hash: 'BC955907A25186B1E55B353AEC452E21844369A44A2C6C9CCBAA5E2599698B02',
      work: '368f9adc899e97d3',
      difficulty: 'ffdb8368978adbff',
      multiplier: '1.754064516082585',
      frontier: 'BC955907A25186B1E55B353AEC452E21844369A44A2C6C9CCBAA5E2599698B02',
      duration: '0.021s',
      credits: 0,
      cached: false,
    },
  },
  output: answer.record({
    hash: answer.hash,
    work: answer.work,
    difficulty: answer.work,
    multiplier: answer.decimal,
    frontier: answer.hash,
    duration: Type.String({ pattern: '^[0-9]+\\.[0-9]{3}s$', description: 'Seconds.' }),
    credits: answer.integer,
    cached: answer.bool,
  }),
  meter: 'work',
  errors: {
    invalid_difficulty: 'More than this gateway computes, or less than any block needs.',
    invalid_block: 'The root of `block` is not `hash`.',
    no_work: 'Every source of work is busy or unavailable.',
  },
  refusals: ['Cancelled'],
  auth: 'none',
  scope: 'work',
  check({ hash, block, ...asked }, room: WorkRoom) {
    if (block !== undefined && asked.subtype === undefined) requireRoot(readBlock(block), hash)
    wantedDifficulty(room, asked)
  },
  async run(ctx, { hash, block, ...asked }, room: WorkRoom) {
    const startedAt = ctx.store.clock.now()
    const subtype = asked.subtype ?? (block === undefined ? undefined : await subtypeOf(ctx, hash, readBlock(block)))
    const threshold = wantedDifficulty(room, { ...asked, subtype })
    const { found, credits, cached } = await findWork(ctx, room, { root: hash, threshold })
    const duration = `${((ctx.store.clock.now() - startedAt) / 1000).toFixed(3)}s`
    return { ...toNodeAnswer(room, hash, found), frontier: hash, duration, credits, cached }
  },
  asNode: {
    check({ request }, { thresholds, work }: WorkRoom) {
      requireWork(work)
      const { root, block, difficulty, isNamed } = readWorkQuestion(request, thresholds)
      if (isNamed) refuseEnough(root, block, difficulty)
    },
    async run(ctx, { request }, room: WorkRoom) {
      const { root, block, difficulty: asked, isNamed } = readWorkQuestion(request, room.thresholds)
      const isOpen = block === undefined || isNamed
      const difficulty = isOpen ? asked : wantedDifficulty(room, { subtype: await subtypeOf(ctx, root, block) })
      refuseEnough(root, block, difficulty)
      return toNodeAnswer(room, root, (await findWork(ctx, room, { root, threshold: difficulty })).found)
    },
  },
})

function toNodeAnswer({ thresholds }: WorkRoom, hash: string, { work, value }: FoundWork) {
  return {
    hash,
    work,
    difficulty: formatWork(value),
    multiplier: formatMultiplier(toMultiplier(value, thresholds.send)),
  }
}

/** Returns ready work, or searches for it at the caller's expense. */
async function findWork(
  ctx: Ctx,
  { work }: WorkRoom,
  { root, threshold }: { root: string; threshold: bigint },
): Promise<{ found: FoundWork; credits: number; cached: boolean }> {
  const ready = await work.find(root, threshold)
  // Prepared work counts like any other; otherwise a chain of blocks would get work for free without end (contract 8).
  if (ready?.prepared === true) await ctx.counted('work', () => work.markAsked(root))
  if (ready) return { found: ready, credits: 0, cached: true }
  const { payer, leaving } = ctx
  const request = { root, threshold, class: 'interactive', payer, weight: weightOf(ctx.caller), leaving } as const
  return ctx.charged('work', async (credits) => ({ found: await work.generate(request), credits, cached: false }))
}

/** A paying account gets the larger share of a busy machine. */
function weightOf(caller: Caller): number {
  if (caller.kind === 'anonymous') return caller.paidBy === undefined ? 1 : 4
  return caller.prepaid ? 4 : 2
}

interface Asked {
  difficulty?: string
  multiplier?: number
  subtype?: string | undefined
}

function requireRoot(block: Block, root: string): void {
  if (rootOf(block) === root) return
  throw new AppError('invalid_block', 'Root mismatch for block', { body: { field: 'block' } })
}

/** The subtype of a block from its balance and that of its predecessor; a send when the ledger does not know the predecessor yet. */
async function subtypeOf({ node }: Ctx, root: string, block: Block): Promise<string> {
  requireRoot(block, root)
  if (block.type !== 'state') return 'send'
  if (block.previous === ZERO_HASH) return 'open'
  try {
    const { balance } = await node.read('block_info', { hash: block.previous, json_block: true })
    const before = parseRaw(textOf(balance))
    return before !== undefined && block.balance > before ? 'receive' : 'send'
  } catch (error) {
    if (error instanceof LedgerRefusal) return 'send'
    throw error
  }
}

/** The multiplier overrides the difficulty; without both the block's subtype decides, which defaults to a send. */
function wantedDifficulty({ thresholds }: WorkRoom, { difficulty, multiplier, subtype }: Asked): bigint {
  if (difficulty === undefined && multiplier === undefined) {
    return subtype === 'receive' || subtype === 'open' || subtype === 'epoch' ? thresholds.receive : thresholds.send
  }
  const wanted = multiplier === undefined ? BigInt(`0x${difficulty}`) : fromMultiplier(multiplier, thresholds.send)
  const name = multiplier === undefined ? 'difficulty' : 'multiplier'
  if (wanted < thresholds.receive || wanted > difficultyLimit(thresholds.send, name)) {
    const text = 'Difficulty above config limit or below publish threshold'
    throw new AppError('invalid_difficulty', text, { body: { field: name } })
  }
  return wanted
}
