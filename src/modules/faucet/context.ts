import type { Raw } from '../../kernel/money.ts'
import type { WalletContext } from '../wallets/index.ts'

/** Rules of the faucet, from the configuration. */
export interface FaucetRules {
  /** The amount of a claim; 0 closes the faucet. */
  amount: Raw
  /** The maximum that all claims of 24 hours pay together. */
  dailyBudget: Raw
  /** Maximum of claims from one network in 24 hours; 0 means no limit. */
  perNetworkMax: number
}

export interface FaucetContext extends WalletContext {
  faucet: FaucetRules
}
