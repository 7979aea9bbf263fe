import { badField } from '../../../kernel/errors.ts'
import { readFlag } from '../../../kernel/fields.ts'
import { readWhole } from '../../../kernel/paging.ts'
import type { Route } from '../../../kernel/route.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { type NameLease, listLeasesOf, statusAt } from '../../names/index.ts'
import { setIndexed, showLease } from '../domain/find-name.ts'
import type { UsernameRoom } from '../room.ts'

const LIMIT_DEFAULT = 25
const LIMIT_MAX = 100

/** Names that an account leases, under `/api/names`. */
export function nameRoutes(room: UsernameRoom): readonly Route[] {
  const { db, clock } = room.checkouts
  const show = (lease: NameLease): JsonObject => ({
    ...showLease(lease),
    status: statusAt(lease, clock.now()),
    indexed: lease.indexed,
  })
  return [
    {
      method: 'GET',
      path: '/api/names',
      door: 'account',
      scope: 'names',
      async run({ caller: { accountId }, query }) {
        const limit = readWhole('limit', query.limit, { min: 1, max: LIMIT_MAX, otherwise: LIMIT_DEFAULT })
        const after = readCursor(query.cursor)
        const leases = await listLeasesOf(db, { accountId, limit, ...(after && { after }) })
        const last = leases.length === limit ? leases.at(-1) : undefined
        return { json: { names: leases.map(show), next_cursor: last ? toCursor(last) : null } }
      },
    },
    {
      method: 'PUT',
      path: '/api/names/:name',
      door: 'account',
      scope: 'names',
      async run({ caller: { accountId, actor }, params, body }) {
        const indexed = readFlag(body('needed').indexed)
        if (indexed === undefined) throw badField('indexed', 'indexed must be true or false.')
        return { json: show(await setIndexed(room, { name: params.name!, accountId, actor, indexed })) }
      },
    },
  ]
}

interface Position {
  createdAt: number
  key: string
}

/** The cursor after which a list of names continues. */
export const toCursor = ({ createdAt, key }: Position) => `${createdAt}-${key}`

export function readCursor(value: unknown): Position | undefined {
  if (given(value) === undefined) return undefined
  const [, createdAt, key] = /^(\d{1,15})-([a-z0-9]{1,30})$/.exec(typeof value === 'string' ? value : '') ?? []
  if (createdAt === undefined) throw badField('cursor', 'cursor must be the next_cursor of an answer.')
  return { createdAt: Number(createdAt), key: key! }
}
