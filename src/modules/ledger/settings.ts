import { setting, whole } from '../../kernel/setting.ts'

export const LEDGER_SETTINGS = {
  countMax: setting(
    'COUNT_MAX',
    '1000',
    whole(1, 100_000),
    'Most entries in one answer, and how far back find_block looks.',
  ),
} as const
