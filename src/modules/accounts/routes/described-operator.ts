import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { KEY, KNOWN_ACCOUNT, LISTED_ACCOUNT } from '../answers.ts'

const { text, bool, integer, list, record, words, optional, orNull } = answer

const KNOWN = record({ account: KNOWN_ACCOUNT, credits: integer, plan: words('free', 'prepaid'), keys: list(KEY) })
const change = { tag: 'admin', who: 'administrator', answer: KNOWN } as const
const reasoned = (reason: string) => ({ schema: record({ reason: text }), example: { reason } })

/** What administrators see and do about other accounts. */
export const describedOperatorRoutes: readonly Described[] = [
  {
    method: 'get',
    path: '/api/accounts',
    id: 'listAccounts',
    tag: 'admin',
    summary: 'The newest accounts.',
    who: 'administrator',
    query: [{ name: 'search', schema: text, description: 'An id, or part of an email address.' }],
    answer: record({ accounts: list(LISTED_ACCOUNT) }),
  },
  {
    method: 'get',
    path: '/api/accounts/{id}',
    id: 'getKnownAccount',
    summary: 'One account: its state, credits and keys.',
    ...change,
  },
  {
    method: 'post',
    path: '/api/accounts/{id}/suspend',
    id: 'suspendAccount',
    summary:
      'Suspend an account: its keys and sessions stop working. Payments to its checkouts are still recorded and reported.',
    ...change,
    body: reasoned('The invoice of May is open.'),
    refuses: [409],
  },
  {
    method: 'post',
    path: '/api/accounts/{id}/resume',
    id: 'resumeAccount',
    summary: 'Resume a suspended account.',
    ...change,
    body: reasoned('Paid.'),
    refuses: [409],
  },
  {
    method: 'post',
    path: '/api/accounts/{id}/sign-out',
    id: 'signOutAccount',
    summary: 'End every session of an account. Its keys stay.',
    ...change,
  },
  {
    method: 'put',
    path: '/api/accounts/{id}/standing',
    id: 'setStanding',
    summary:
      'Set limits and features of one account; null restores the default of the settings, and omitted fields stay.',
    ...change,
    body: {
      schema: record({
        per_minute: optional(orNull(integer)),
        concurrency: optional(orNull(integer)),
        features: optional(record({ generated_wallets: optional(orNull(bool)), wallet_sends: optional(orNull(bool)) })),
      }),
      example: { per_minute: 6000, features: { generated_wallets: true } },
    },
  },
  {
    method: 'post',
    path: '/api/accounts/{id}/credits',
    id: 'adjustCredits',
    summary: 'Grant credits, or take them with a negative amount.',
    ...change,
    body: { schema: record({ amount: integer, reason: text }), example: { amount: 1000, reason: 'An outage in May.' } },
    once: true,
    refuses: [409],
  },
]
