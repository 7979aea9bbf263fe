import type { Caller, Ctx } from '../../kernel/ctx.ts'
import { AppError, LedgerRefusal } from '../../kernel/errors.ts'
import { type Block, ZERO_HASH, rootOf } from '../../kernel/nano/block.ts'
import { difficultyLimit, fromMultiplier } from '../../kernel/nano/work.ts'
import { parseRaw } from '../../kernel/money.ts'
import { type FoundWork } from '../../kernel/work-port.ts'
import { textOf } from '../../kernel/shape.ts'
import { type WorkContext, requireWork } from './context.ts'

/** Returns ready work, or searches for it at the caller's expense. */
export async function findWork(
  ctx: Ctx,
  { work }: WorkContext,
  { root, threshold }: { root: string; threshold: bigint },
): Promise<{ found: FoundWork; credits: number; cached: boolean }> {
  const ready = await work.find(root, threshold)
  // Prepared work counts like any other; otherwise a chain of blocks would get work for free without end (contract 8).
  if (ready?.prepared === true) await ctx.counted('work', () => work.markAsked(root))
  if (ready) return { found: ready, credits: 0, cached: true }
  const { payer, caller, leaving } = ctx
  // For a caller without a key on this machine, the search goes on when the caller hangs up, and what it finds is stored: wallets hang up after
  // seconds and ask again, while work for the live network takes a minute.
  const isOwnMachine = caller.kind === 'anonymous' && caller.isLocal === true
  const request = {
    root,
    threshold,
    class: 'interactive',
    payer,
    weight: weightOf(caller),
    ...(!isOwnMachine && { leaving }),
  } as const
  return ctx.charged('work', async (credits) => ({ found: await work.generate(request), credits, cached: false }))
}

/** A paying account gets the larger share of a busy machine. */
function weightOf(caller: Caller): number {
  if (caller.kind === 'anonymous') return caller.paidBy === undefined && caller.isLocal !== true ? 1 : 4
  return caller.prepaid ? 4 : 2
}

interface Asked {
  difficulty?: string
  multiplier?: number
  subtype?: string | undefined
}

export function requireRoot(block: Block, root: string): void {
  if (rootOf(block) === root) return
  throw new AppError('invalid_block', 'Root mismatch for block', { body: { field: 'block' } })
}

/** The subtype of a block from its balance and that of its predecessor; a send when the ledger does not know the predecessor yet. */
export async function subtypeOf({ node }: Ctx, root: string, block: Block): Promise<string> {
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
export function wantedDifficulty({ thresholds }: WorkContext, { difficulty, multiplier, subtype }: Asked): bigint {
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

/** Work for blocks that are to be published, at the expense of their publishers. */
export function openWorkFor({ isSold, ...context }: WorkContext & { isSold: boolean }) {
  return async (ctx: Ctx, block: Block, said: string | undefined): Promise<string> => {
    requireWork(context.work)
    const { caller } = ctx
    // A caller without a key pays for an action at its price. This action has no price, so such a caller cannot pay for its work.
    if (isSold && caller.kind === 'anonymous' && caller.isLocal !== true) {
      throw new AppError('key_required', 'API key required for do_work. Without a key, buy the work: work_generate.')
    }
    const root = rootOf(block)
    const subtype = said ?? (await subtypeOf(ctx, root, block))
    return (await findWork(ctx, context, { root, threshold: wantedDifficulty(context, { subtype }) })).found.work
  }
}
