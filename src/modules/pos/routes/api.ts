import { readCursor, toCursor } from '../../../kernel/cursor.ts'
import { readWhole } from '../../../kernel/read-whole.ts'
import type { Fields, Route } from '../../../kernel/route.ts'
import { textOf } from '../../../kernel/shape.ts'
import { checkoutAction } from '../../checkout/index.ts'
import { resolveNames } from '../../names/index.ts'
import { changePos, deletePos, getPos, rotateLink } from '../domain/change-pos.ts'
import { readDay } from '../domain/day.ts'
import { linkOf, makePos } from '../domain/make-pos.ts'
import type { PosRoom } from '../room.ts'
import { showDay, showPos } from '../shape.ts'
import { type PointOfSale, listPos } from '../store.ts'

const PATH = '/api/pos'
const LIMIT_DEFAULT = 25
const LIMIT_MAX = 100

const withLink = (room: PosRoom, pos: PointOfSale) => ({ ...showPos(room, pos), link: linkOf(room, pos) })

/** Points of sale under `/api/pos`. */
export function posRoutes(room: PosRoom): readonly Route[] {
  return [
    {
      door: 'account',
      scope: 'checkout',
      method: 'GET',
      path: PATH,
      async run({ caller: { accountId: owner }, query }) {
        const limit = readWhole('limit', query.limit, { min: 1, max: LIMIT_MAX, otherwise: LIMIT_DEFAULT })
        const found = await listPos(room.checkouts.db, { owner, limit, after: readCursor(query.cursor) })
        const last = found.length === limit ? found.at(-1) : undefined
        return {
          json: { points_of_sale: found.map((pos) => showPos(room, pos)), next_cursor: last ? toCursor(last) : null },
        }
      },
    },
    {
      door: 'account',
      scope: 'checkout',
      method: 'POST',
      path: PATH,
      async run({ caller: { accountId: owner, actor }, body, once }) {
        const fields = await withAddress(room, body())
        // What is remembered of a repeated request has no secret in it.
        const { id } = await once('pos.create', async (idempotency) => ({
          id: (await makePos(room, { owner, actor }, fields, idempotency)).id,
        }))
        return { status: 201, json: withLink(room, await getPos(room, { id: textOf(id), owner })) }
      },
    },
    ...onePosRoutes(room),
  ]
}

function onePosRoutes(room: PosRoom): readonly Route[] {
  return [
    {
      door: 'account',
      scope: 'checkout',
      method: 'GET',
      path: `${PATH}/:id`,
      run: async ({ caller, params }) => ({
        // Without its link: a key that may only look shall not sell.
        json: showPos(room, await getPos(room, { id: params.id!, owner: caller.accountId })),
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
        return { json: showPos(room, await changePos(room, own, await withAddress(room, body()))) }
      },
    },
    {
      door: 'account',
      scope: 'checkout',
      proof: true,
      method: 'POST',
      path: `${PATH}/:id/rotate`,
      run: async ({ caller, params }) => ({
        json: withLink(room, await rotateLink(room, { id: params.id!, owner: caller.accountId, actor: caller.actor })),
      }),
    },
    {
      door: 'account',
      scope: 'checkout',
      method: 'GET',
      path: `${PATH}/:id/day`,
      async run({ caller, params, query: { date } }) {
        const pos = await getPos(room, { id: params.id!, owner: caller.accountId })
        const wanted = typeof date === 'string' && date !== '' ? date : undefined
        return { json: showDay(pos, await readDay(room, pos, wanted)) }
      },
    },
    {
      door: 'account',
      scope: 'checkout',
      method: 'DELETE',
      path: `${PATH}/:id`,
      async run({ caller, params }) {
        await deletePos(room, { id: params.id!, owner: caller.accountId, actor: caller.actor })
        return { json: { success: true, deleted: true, id: params.id! } }
      },
    },
  ]
}

/** People write names where addresses stand. */
export async function withAddress({ checkouts }: PosRoom, fields: Fields): Promise<Fields> {
  if (fields.address === undefined) return fields
  const { params } = await resolveNames(checkouts.names, { address: fields.address }, checkoutAction)
  return { ...fields, ...params }
}
