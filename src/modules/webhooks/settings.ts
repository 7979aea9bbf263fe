import { flag, setting, whole } from '../../kernel/setting.ts'

const automatic = (value: string) => (value === 'auto' ? ('auto' as const) : flag(value))

export const WEBHOOK_SETTINGS = {
  webhookAllowPrivate: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    'auto',
    automatic,
    'Whether webhooks may go to private networks and over plain http; `auto` allows it on a local gateway whose only node is the development ledger.',
  ),
  watchAddressesMax: setting(
    'WATCH_ADDRESSES_MAX',
    '100000',
    whole(0, 1_000_000),
    'Addresses an account may watch, across all its endpoints; 0 allows none.',
  ),
} as const
