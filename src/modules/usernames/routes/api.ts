import { answer } from '../../../kernel/answers.ts'
import { badField } from '../../../kernel/errors.ts'
import { readFlag } from '../../../kernel/fields.ts'
import { readWhole } from '../../../kernel/paging.ts'
import { PAGES, type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { KNOWN_NAME, type NameLease, listLeasesOf, statusAt } from '../../names/index.ts'
import { setIndexed, showLease } from '../domain/find-name.ts'
import type { UsernameContext } from '../context.ts'

const { text, bool, list, record, orNull } = answer
const LIMIT_DEFAULT = 25
const LIMIT_MAX = 100

const OWN_NAME = record({
  ...KNOWN_NAME.properties,
  owner: answer.address,
  grace_until_unix: answer.unix,
  status: answer.words('leased', 'grace', 'available'),
  indexed: bool,
})
const show = (lease: NameLease, now: number): JsonObject => ({
  ...showLease(lease),
  status: statusAt(lease, now),
  indexed: lease.indexed,
})
const place = { tag: 'usernames', scope: 'names', who: 'account' } as const

const routes: readonly ApiRoute<UsernameContext>[] = [
  {
    ...place,
    method: 'get',
    path: '/api/names',
    id: 'listNames',
    summary: 'Usernames that the account has leased, newest first.',
    query: PAGES,
    answer: record({ names: list(OWN_NAME), next_cursor: orNull(text) }),
    async run(context, { caller: { accountId }, query }) {
      const limit = readWhole('limit', query.limit, { min: 1, max: LIMIT_MAX, otherwise: LIMIT_DEFAULT })
      const after = readCursor(query.cursor)
      const leases = await listLeasesOf(context.checkouts.db, { accountId, limit, ...(after && { after }) })
      const last = leases.length === limit ? leases.at(-1) : undefined
      return {
        json: {
          names: leases.map((lease) => show(lease, context.checkouts.clock.now())),
          next_cursor: last ? toCursor(last) : null,
        },
      }
    },
  },
  {
    ...place,
    method: 'put',
    path: '/api/names/{name}',
    id: 'changeNamePage',
    summary: 'Set whether search engines may list the public page `/@name`; by default they may not.',
    body: { schema: record({ indexed: bool }), example: { indexed: true } },
    answer: OWN_NAME,
    async run(context, { caller: { accountId, actor }, params, body }) {
      const indexed = readFlag(body('needed').indexed)
      if (indexed === undefined) throw badField('indexed', 'indexed must be true or false.')
      const lease = await setIndexed(context, { name: params.name!, accountId, actor, indexed })
      return { json: show(lease, context.checkouts.clock.now()) }
    },
  },
]

/** Names that an account leases, under `/api/names`. */
export const nameRoutes = (context: UsernameContext) => routesOf(routes, context)
export const describedUsernameRoutes = describedOf(routes)

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
