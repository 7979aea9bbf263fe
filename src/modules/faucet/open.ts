import { type Module, offer } from '../../kernel/module.ts'
import type { WalletRoom } from '../wallets/index.ts'
import { faucetCheck } from './actions/faucet-check.ts'
import { faucetClaim } from './actions/faucet-claim.ts'
import type { FaucetRoom } from './room.ts'
import type { FaucetSettings } from './settings.ts'

export const FAUCET_ACTIONS = [faucetCheck, faucetClaim]

/** Opens the faucet: small amounts of nano for beginners. */
export function openFaucet(wallets: WalletRoom, settings: FaucetSettings): Module {
  const { faucetAmount: amount, faucetDailyBudget: dailyBudget, faucetPerNetworkMax: perNetworkMax } = settings
  return offer<FaucetRoom>('faucet', { ...wallets, faucet: { amount, dailyBudget, perNetworkMax } }, FAUCET_ACTIONS)
}
