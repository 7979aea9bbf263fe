import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Raw } from '../../kernel/money.ts'
import type { OfferContext } from '../billing/index.ts'
import type { NamePlan } from './settings.ts'

/** The context in which names are leased and changed. */
export interface UsernameContext extends OfferContext {
  namePlans: readonly NamePlan[]
  nameUpdatePrice: Raw
  /** Settles a paid order whose owner has just approved it, in the transaction that stores the approval. */
  resumeOrder(tx: StoreCtx, checkoutId: string): Promise<() => void>
}
