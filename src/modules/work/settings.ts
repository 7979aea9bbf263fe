import { type ValuesOf, flag, setting, whole } from '../../kernel/setting.ts'

export const WORK_SETTINGS = {
  workPrecompute: setting(
    'WORK_PRECOMPUTE',
    'true',
    flag,
    'Whether to compute work for the next block of an account in idle time.',
  ),
  freeWorkAnonymousPerHour: setting(
    'FREE_WORK_ANONYMOUS_PER_HOUR',
    '5',
    whole(0),
    'Free work per hour for one address without a key.',
  ),
  freeWorkPerHalfHour: setting(
    'FREE_WORK_PER_HALF_HOUR',
    '30',
    whole(0),
    'Free work per half hour for an account without credits.',
  ),
} as const

export type WorkSettings = ValuesOf<typeof WORK_SETTINGS>
