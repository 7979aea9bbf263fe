import type { Ctx } from '../../kernel/ctx.ts'
import type { CheckoutCtx } from '../../modules/checkout/index.ts'

/** What offers of the service are made with: they count against the account, as at the RPC endpoint. */
export function toSaleCtx(ctx: CheckoutCtx, accountId: string): Pick<Ctx, 'store' | 'till' | 'names' | 'payer'> {
  const { till, names, ...store } = ctx
  return { store, till, names, payer: `acc:${accountId}` }
}
