import type { Raw } from '../../kernel/money.ts'
import type { WalletRoom } from '../wallets/index.ts'

/** What the faucet gives, from configuration. */
export interface FaucetRules {
  /** What one claim pays; 0 closes the faucet. */
  amount: Raw
  /** What all claims of 24 hours pay together at most. */
  dailyBudget: Raw
  /** Claims of 24 hours from one network; 0 means no limit. */
  perNetworkMax: number
}

export interface FaucetRoom extends WalletRoom {
  faucet: FaucetRules
}
