import { badField } from '../../../kernel/errors.ts'
import { readCursor, readWhole, toCursor } from '../../../kernel/paging.ts'
import type { Route } from '../../../kernel/route.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { subscriptionNotFound } from '../errors.ts'
import type { LinkRoom } from '../room.ts'
import { endSubscription } from './follow.ts'
import { showSubscription } from './shape.ts'
import { SHOWN_STATUSES, findOwnSubscription, listSubscriptions } from './store.ts'

const PATH = '/api/subscriptions'
const LIMIT_DEFAULT = 25
const LIMIT_MAX = 100

/** Subscriptions to an account's links, under `/api/subscriptions`. */
export function subscriptionRoutes({ checkouts }: LinkRoom): readonly Route[] {
  const { db } = checkouts
  return [
    {
      door: 'account',
      scope: 'checkout',
      method: 'GET',
      path: PATH,
      async run({ caller: { accountId: owner }, query }) {
        const limit = readWhole('limit', query.limit, { min: 1, max: LIMIT_MAX, otherwise: LIMIT_DEFAULT })
        const filter = { owner, linkId: readLink(query.payment_link), status: readStatus(query.status) }
        const found = await listSubscriptions(db, { ...filter, limit: limit + 1, after: readCursor(query.cursor) })
        const shown = found.slice(0, limit)
        const next = found.length > limit ? toCursor(shown.at(-1)!) : null
        return { json: { subscriptions: shown.map(showSubscription), next_cursor: next } }
      },
    },
    {
      door: 'account',
      scope: 'checkout',
      method: 'GET',
      path: `${PATH}/:id`,
      async run({ caller: { accountId: owner }, params }) {
        const found = await findOwnSubscription(db, { id: params.id!, owner })
        if (!found) throw subscriptionNotFound()
        return { json: showSubscription(found) }
      },
    },
    {
      door: 'account',
      scope: 'checkout',
      method: 'POST',
      path: `${PATH}/:id/end`,
      async run({ caller: { accountId: owner, actor }, params }) {
        return { json: showSubscription(await endSubscription(checkouts, { id: params.id!, by: { owner, actor } })) }
      },
    },
  ]
}

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
