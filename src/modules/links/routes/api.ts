import { crud, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import { changeLink, deleteLink } from '../domain/change-link.ts'
import { getLink, makeLink, toLinkBody } from '../domain/make-link.ts'
import { paymentLink, paymentLinks } from '../payment-link.ts'
import { describedSubscriptionRoutes } from '../subscriptions/api.ts'
import type { LinkContext } from '../context.ts'
import { showLink, showLinks } from '../shape.ts'

const routes = crud(paymentLink, {
  words: {
    list: ['listLinks', 'Payment links of the account, newest first.'],
    create: ['createLink', 'Create a payment link; the body has the fields of the action `payment_link`.'],
    get: ['getLink', 'One payment link and its sales.'],
    change: [
      'changeLink',
      'Change the fields in the body; `paused` pauses and resumes it. Slug and currency cannot change.',
    ],
    delete: ['deleteLink', 'Delete a payment link. Its open checkouts can still be paid.'],
  },
  // The payment address can be changed here, so the caller must have confirmed their identity.
  proof: { change: { proof: true } },
  once: 'links.create',
  refuses: [403, 409],
  changeExample: { paused: true },
  prepare: toLinkBody,
  showAll: showLinks,
  list: ({ checkouts: { db } }, page) => paymentLinks.list(db, page),
  get: getLink,
  create: async (context, by, values, idempotency) =>
    showLink(context, await makeLink(context, by, values, idempotency)),
  change: changeLink,
  remove: deleteLink,
})

/** Payment links under `/api/links`. */
export const linkRoutes = (context: LinkContext) => routesOf(routes, context)
export const describedLinkRoutes = [...describedOf(routes), ...describedSubscriptionRoutes]
