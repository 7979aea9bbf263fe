import { readCursor, readWhole, toCursor } from '../../../kernel/paging.ts'
import type { Fields, Route } from '../../../kernel/route.ts'
import { resolveNames } from '../../names/index.ts'
import { paymentLink } from '../actions/payment-link.ts'
import { changeLink, deleteLink, getLink } from '../domain/change-link.ts'
import { makeLink } from '../domain/make-link.ts'
import type { LinkRoom } from '../room.ts'
import { showLink, showLinks } from '../shape.ts'
import { listLinks } from '../store.ts'

const PATH = '/api/links'
const LIMIT_DEFAULT = 25
const LIMIT_MAX = 100

/** Payment links under `/api/links`. */
export function linkRoutes(room: LinkRoom): readonly Route[] {
  const { checkouts } = room
  const read = async (body: Fields) => (await resolveNames(checkouts.names, body, paymentLink)).params
  return [
    {
      door: 'account',
      scope: 'checkout',
      method: 'GET',
      path: PATH,
      async run({ caller: { accountId: owner }, query }) {
        const limit = readWhole('limit', query.limit, { min: 1, max: LIMIT_MAX, otherwise: LIMIT_DEFAULT })
        const links = await listLinks(checkouts.db, { owner, limit, after: readCursor(query.cursor) })
        const last = links.length === limit ? links.at(-1) : undefined
        const next = last ? toCursor(last) : null
        return { json: { links: await showLinks(room, links), next_cursor: next } }
      },
    },
    {
      door: 'account',
      scope: 'checkout',
      method: 'POST',
      path: PATH,
      async run({ caller: { accountId, actor }, body, once }) {
        const fields = await read(body())
        const made = await once('links.create', async (idempotency) =>
          showLink(room, await makeLink(room, { owner: accountId, actor }, fields, idempotency)),
        )
        return { status: 201, json: made }
      },
    },
    {
      door: 'account',
      scope: 'checkout',
      method: 'GET',
      path: `${PATH}/:id`,
      run: async ({ caller, params }) => ({
        json: await showLink(room, await getLink(room, { id: params.id!, owner: caller.accountId })),
      }),
    },
    {
      door: 'account',
      scope: 'checkout',
      proof: true,
      method: 'PUT',
      path: `${PATH}/:id`,
      async run({ caller, params, body }) {
        const own = { id: params.id!, owner: caller.accountId, actor: caller.actor }
        return { json: await showLink(room, await changeLink(room, own, await read(body()))) }
      },
    },
    {
      door: 'account',
      scope: 'checkout',
      method: 'DELETE',
      path: `${PATH}/:id`,
      async run({ caller, params }) {
        await deleteLink(room, { id: params.id!, owner: caller.accountId, actor: caller.actor })
        return { json: { success: true, deleted: true, id: params.id! } }
      },
    },
  ]
}
