import type { Ctx } from '../../kernel/ctx.ts'

/** What the verbs of wallets work with: a request has it, and so have jobs. */
export type WalletCtx = Pick<Ctx, 'store' | 'node' | 'work' | 'thresholds' | 'custody'>
