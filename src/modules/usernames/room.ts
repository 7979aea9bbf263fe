import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Raw } from '../../kernel/money.ts'
import type { OfferRoom } from '../billing/index.ts'
import type { NamePlan } from './settings.ts'

/** What names are leased and changed with. */
export interface UsernameRoom extends OfferRoom {
  namePlans: readonly NamePlan[]
  nameUpdatePrice: Raw
  /** A paid order has got the word that it waited for, in the transaction that writes the word down. */
  resumeOrder(tx: StoreCtx, checkoutId: string): Promise<() => void>
}
