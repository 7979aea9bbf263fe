import { type ValuesOf, nano, setting, whole } from '../../kernel/setting.ts'

export const FAUCET_SETTINGS = {
  faucetAmount: setting('FAUCET_NANO', '0.001', nano, 'What the faucet gives for a claim; 0 closes it.'),
  faucetDailyBudget: setting('FAUCET_DAILY_NANO', '1', nano, 'What the faucet gives away in 24 hours at most.'),
  faucetPerNetworkMax: setting(
    'FAUCET_PER_NETWORK_MAX',
    '3',
    whole(0),
    'Claims from one network (/24 or /48) in 24 hours; 0 is no limit.',
  ),
} as const

export type FaucetSettings = ValuesOf<typeof FAUCET_SETTINGS>
