import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { KEY, KNOWN_ACCOUNT, LISTED_ACCOUNT } from '../answers.ts'

const { text, bool, integer, list, record, words, optional, orNull } = answer

const KNOWN = record({ account: KNOWN_ACCOUNT, credits: integer, plan: words('free', 'prepaid'), keys: list(KEY) })
const change = { tag: 'admin', who: 'administrator', answer: KNOWN } as const
const reasoned = (reason: string) => ({ schema: record({ reason: text }), example: { reason } })

/** What administrators see of other accounts, and do to them. */
export const describedOperatorRoutes: readonly Described[] = [
  {
    method: 'get',
    path: '/api/accounts',
    id: 'listAccounts',
    tag: 'admin',
    summary: 'The newest accounts.',
    who: 'administrator',
    query: [{ name: 'search', schema: text, description: 'An id, or a part of an e-mail address.' }],
    answer: record({ accounts: list(LISTED_ACCOUNT) }),
  },
  {
    method: 'get',
    path: '/api/accounts/{id}',
    id: 'getKnownAccount',
    summary: 'One account: what the operator has said about it, its credits and keys.',
    ...change,
  },
  {
    method: 'post',
    path: '/api/accounts/{id}/suspend',
    id: 'suspendAccount',
    summary:
      'Let an account rest: its keys and sessions open nothing. Payments to its checkouts are still recorded and told.',
    ...change,
    body: reasoned('The invoice of May is open.'),
    refuses: [409],
  },
  {
    method: 'post',
    path: '/api/accounts/{id}/resume',
    id: 'resumeAccount',
    summary: 'Let a suspended account go on.',
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
    summary: 'Limits and features of one account; null is what the settings say for all, and what is left out stays.',
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
    summary: 'Give credits, or take them with an amount below zero.',
    ...change,
    body: { schema: record({ amount: integer, reason: text }), example: { amount: 1000, reason: 'An outage in May.' } },
    once: true,
    refuses: [409],
  },
]
