import { type Module, offer } from '../../kernel/module.ts'
import type { WalletContext } from '../wallets/index.ts'
import { faucetCheck } from './actions/faucet-check.ts'
import { faucetClaim } from './actions/faucet-claim.ts'
import type { FaucetContext } from './context.ts'
import type { FaucetSettings } from './settings.ts'

export const FAUCET_ACTIONS = [faucetCheck, faucetClaim]

/** Opens the faucet: small amounts of nano for beginners. */
export function openFaucet(wallets: WalletContext, settings: FaucetSettings): Module {
  const { faucetAmount: amount, faucetDailyBudget: dailyBudget, faucetPerNetworkMax: perNetworkMax } = settings
  return offer<FaucetContext>('faucet', { ...wallets, faucet: { amount, dailyBudget, perNetworkMax } }, FAUCET_ACTIONS)
}
