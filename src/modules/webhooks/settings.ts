import { flag, setting } from '../../kernel/setting.ts'

const automatic = (value: string) => (value === 'auto' ? ('auto' as const) : flag(value))

export const WEBHOOK_SETTINGS = {
  webhookAllowPrivate: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    'auto',
    automatic,
    'Whether webhooks may go to private networks and plain http; auto: only at the desk, with the development ledger as the only node.',
  ),
} as const
