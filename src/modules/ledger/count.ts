import type { Ctx } from '../../kernel/ctx.ts'

/** `-1` asks for everything, which is still no more than the server gives. */
export function boundedCount(ctx: Ctx, count: number | undefined): string {
  const max = ctx.limits.countMax
  return String(count === undefined || count < 0 ? max : Math.min(count, max))
}
