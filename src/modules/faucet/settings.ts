import { type ValuesOf, nano, setting, whole } from '../../kernel/setting.ts'

export const FAUCET_SETTINGS = {
  faucetAmount: setting('FAUCET_NANO', '0.001', nano, 'Amount of one faucet claim; 0 closes the faucet.'),
  faucetDailyBudget: setting('FAUCET_DAILY_NANO', '1', nano, 'Most that the faucet gives away in 24 hours.'),
  faucetPerNetworkMax: setting(
    'FAUCET_PER_NETWORK_MAX',
    '3',
    whole(0),
    'Most claims from one network (/24 or /48) in 24 hours; 0 means no limit.',
  ),
} as const

export type FaucetSettings = ValuesOf<typeof FAUCET_SETTINGS>
