import { flag, setting, whole } from '../../kernel/setting.ts'

const automatic = (value: string) => (value === 'auto' ? ('auto' as const) : flag(value))

export const WEBHOOK_SETTINGS = {
  webhookAllowPrivate: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    'auto',
    automatic,
    'Whether webhooks may go to private networks and plain http; auto: only at the desk, with the development ledger as the only node.',
  ),
  watchAddressesMax: setting(
    'WATCH_ADDRESSES_MAX',
    '100000',
    whole(0, 1_000_000),
    'Addresses that an account may have watched, over all its endpoints; 0 allows none.',
  ),
} as const
