import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { SHOWN_STATUSES } from './store.ts'

const { text, integer, list, record, orNull, unix, words } = answer

const SUBSCRIPTION = record({
  id: text,
  payment_link: text,
  status: words(...SHOWN_STATUSES),
  every: text,
  plan: orNull(text),
  email: orNull(text),
  periods: integer,
  paid_until_unix: orNull(unix),
  grace_days: integer,
  language: text,
  checkout_id: orNull(text),
  began_unix: orNull(unix),
  created_unix: unix,
  ended_unix: orNull(unix),
})

export const describedSubscriptionRoutes: readonly Described[] = [
  {
    method: 'get',
    path: '/api/subscriptions',
    id: 'listSubscriptions',
    tag: 'links',
    summary: 'Subscriptions to the links of the account, newest first.',
    who: 'account',
    query: [
      { name: 'payment_link', schema: text, description: 'Of this link only.' },
      { name: 'status', schema: words(...SHOWN_STATUSES), description: 'In this state only.' },
      { name: 'limit', schema: integer, description: 'Up to 100; 25 by default.' },
      { name: 'cursor', schema: text, description: '`next_cursor` of the previous page.' },
    ],
    answer: record({ subscriptions: list(SUBSCRIPTION), next_cursor: orNull(text) }),
  },
  {
    method: 'get',
    path: '/api/subscriptions/{id}',
    id: 'getSubscription',
    tag: 'links',
    summary: 'One subscription: its payer, its state, and until when it is paid.',
    who: 'account',
    answer: SUBSCRIPTION,
  },
  {
    method: 'post',
    path: '/api/subscriptions/{id}/end',
    id: 'endSubscription',
    tag: 'links',
    summary:
      'End a subscription: its payer gets no more reminders. What was paid stays paid; ending it twice changes nothing.',
    who: 'account',
    answer: SUBSCRIPTION,
  },
]
