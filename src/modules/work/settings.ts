import { type ValuesOf, flag, setting, whole } from '../../kernel/setting.ts'

export const WORK_SETTINGS = {
  workPrecompute: setting(
    'WORK_PRECOMPUTE',
    'true',
    flag,
    'Whether work for the next block of an account is made in idle time.',
  ),
  freeWorkAnonymousPerHour: setting(
    'FREE_WORK_ANONYMOUS_PER_HOUR',
    '5',
    whole(0),
    'Work for one address without a key.',
  ),
  freeWorkPerHalfHour: setting('FREE_WORK_PER_HALF_HOUR', '30', whole(0), 'Work for an account without credits.'),
} as const

export type WorkSettings = ValuesOf<typeof WORK_SETTINGS>
