import { answer } from '../../../kernel/answers.ts'
import { badField } from '../../../kernel/errors.ts'
import { readCursor, readWhole, toCursor } from '../../../kernel/paging.ts'
import { PAGES, type ApiRoute, describedOf, ownOf, routesOf } from '../../../kernel/resource/routes.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { subscriptionNotFound } from '../errors.ts'
import type { LinkContext } from '../context.ts'
import { endSubscription } from './follow.ts'
import { subscription } from './shape.ts'
import { SHOWN_STATUSES, findOwnSubscription, listSubscriptions } from './store.ts'

const { text, list, record, orNull, words } = answer
const LIMIT = { min: 1, max: 100, otherwise: 25 }

const place = { tag: 'links', scope: 'checkout', who: 'account' } as const

const routes: readonly ApiRoute<LinkContext>[] = [
  {
    ...place,
    method: 'get',
    path: '/api/subscriptions',
    id: 'listSubscriptions',
    summary: 'Subscriptions to the links of the account, newest first.',
    query: [
      { name: 'payment_link', schema: text, description: 'Of this link only.' },
      { name: 'status', schema: words(...SHOWN_STATUSES), description: 'In this state only.' },
      ...PAGES,
    ],
    answer: record({ subscriptions: list(subscription.schema), next_cursor: orNull(text) }),
    async run({ checkouts: { db } }, { caller: { accountId: owner }, query }) {
      const limit = readWhole('limit', query.limit, LIMIT)
      const filter = { owner, linkId: readLink(query.payment_link), status: readStatus(query.status) }
      const found = await listSubscriptions(db, { ...filter, limit: limit + 1, after: readCursor(query.cursor) })
      const shown = found.slice(0, limit)
      const next = found.length > limit ? toCursor(shown.at(-1)!) : null
      return { json: { subscriptions: shown.map(subscription.show), next_cursor: next } }
    },
  },
  {
    ...place,
    method: 'get',
    path: '/api/subscriptions/{id}',
    id: 'getSubscription',
    summary: 'One subscription: its payer, its state, and until when it is paid.',
    answer: subscription.schema,
    async run({ checkouts: { db } }, request) {
      const found = await findOwnSubscription(db, ownOf(request))
      if (!found) throw subscriptionNotFound()
      return { json: subscription.show(found) }
    },
  },
  {
    ...place,
    method: 'post',
    path: '/api/subscriptions/{id}/end',
    id: 'endSubscription',
    summary:
      'End a subscription: its payer gets no more reminders. What was paid stays paid; ending it twice changes nothing.',
    answer: subscription.schema,
    async run({ checkouts }, request) {
      const { id, owner, actor } = ownOf(request)
      return { json: subscription.show(await endSubscription(checkouts, { id, by: { owner, actor } })) }
    },
  },
]

/** Subscriptions to an account's links, under `/api/subscriptions`. */
export const subscriptionRoutes = (context: LinkContext) => routesOf(routes, context)
export const describedSubscriptionRoutes = describedOf(routes)

function readLink(value: unknown): string | undefined {
  const id = given(value)
  if (id !== undefined && typeof id !== 'string')
    throw badField('payment_link', 'payment_link must be the id of a link.')
  return id
}

function readStatus(value: unknown): (typeof SHOWN_STATUSES)[number] | undefined {
  const asked = given(value)
  const status = SHOWN_STATUSES.find((one) => one === asked)
  if (asked !== undefined && status === undefined) {
    throw badField('status', `status must be one of ${SHOWN_STATUSES.join(', ')}.`)
  }
  return status
}
