import { oneOf, secretSetting, setting, text } from '../../kernel/setting.ts'

export const SWAP_SETTINGS = {
  swapProvider: setting(
    'SWAP_PROVIDER',
    'sandbox',
    oneOf('sandbox', 'nanswap', 'none'),
    'Swap service: `sandbox` (only with the development ledger), `nanswap`, or `none`.',
  ),
  swapUrl: setting('SWAP_URL', 'https://api.nanswap.com/v1', text, 'Address of the swap service.'),
  swapKey: secretSetting('SWAP_KEY', '', text, 'Key for the swap service.'),
} as const
