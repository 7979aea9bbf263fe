import { setting, whole } from '../kernel/setting.ts'

/** How many requests each kind of caller may make. */
export const LIMIT_SETTINGS = {
  limitAnonymousPerMinute: setting(
    'LIMIT_ANONYMOUS_PER_MINUTE',
    '60',
    whole(0),
    'Requests per minute from one address without a key; 0 means no limit, here and below.',
  ),
  limitAnonymousConcurrency: setting(
    'LIMIT_ANONYMOUS_CONCURRENCY',
    '10',
    whole(0),
    'Concurrent requests from one address without a key.',
  ),
  limitPublicKeyPerMinute: setting(
    'LIMIT_PUBLIC_KEY_PER_MINUTE',
    '60',
    whole(0),
    'Requests per minute from one address with a public key.',
  ),
  limitPublicKeyConcurrency: setting(
    'LIMIT_PUBLIC_KEY_CONCURRENCY',
    '10',
    whole(0),
    'Concurrent requests from one address with a public key.',
  ),
  limitCheckPerMinute: setting(
    'LIMIT_CHECK_PER_MINUTE',
    '600',
    whole(0),
    'Requests per minute to checks, records and pages of checkouts from one address without a key.',
  ),
  limitCheckAccountPerMinute: setting(
    'LIMIT_CHECK_ACCOUNT_PER_MINUTE',
    '6000',
    whole(0),
    'The same for an account, with a secret key.',
  ),
  limitPagesPerMinute: setting(
    'LIMIT_PAGES_PER_MINUTE',
    '600',
    whole(0),
    'Requests per minute from one address to documents, lists and the status page, with or without a key.',
  ),
  limitFreePerMinute: setting('LIMIT_FREE_PER_MINUTE', '600', whole(0), 'Requests per minute of an account.'),
  limitFreeConcurrency: setting('LIMIT_FREE_CONCURRENCY', '50', whole(0), 'Concurrent requests of an account.'),
  limitPrepaidPerMinute: setting(
    'LIMIT_PREPAID_PER_MINUTE',
    '3000',
    whole(0),
    'Requests per minute of an account with credits.',
  ),
  limitPrepaidConcurrency: setting(
    'LIMIT_PREPAID_CONCURRENCY',
    '200',
    whole(0),
    'Concurrent requests of an account with credits.',
  ),
} as const
