import type { Db } from '../../../kernel/db.ts'

/** A recorded action with its actor. */
export interface Activity {
  id: string
  at: number
  actor: string
  /** The key that acted, if it belongs to this account. */
  key: { name: string; start: string } | undefined
  what: string
  detail: Readonly<Record<string, unknown>>
}

export interface ActivityFilter {
  accountId: string
  /** The id of the actor. */
  actor?: string | undefined
  /** The first word of the action, such as `key`. */
  kind?: string | undefined
  from?: number | undefined
  to?: number | undefined
}

/** The actions in an account, newest first; `before` is the last one of the previous page. */
export async function listActivities(
  db: Db,
  { accountId, actor, kind, from, to }: ActivityFilter,
  { before, limit }: { before: Pick<Activity, 'at' | 'id'> | undefined; limit: number },
): Promise<Activity[]> {
  let query = db
    .selectFrom('audit_entries')
    .leftJoin('api_keys', (join) =>
      join
        .onRef('api_keys.id', '=', 'audit_entries.actor')
        .onRef('api_keys.account_id', '=', 'audit_entries.account_id'),
    )
    .select(['audit_entries.id', 'at', 'actor', 'what', 'detail', 'api_keys.name', 'api_keys.start'])
    .where('audit_entries.account_id', '=', accountId)
  if (actor !== undefined) query = query.where('actor', '=', actor)
  if (kind !== undefined) query = query.where('what', 'like', `${kind}.%`)
  if (from !== undefined) query = query.where('at', '>=', from)
  if (to !== undefined) query = query.where('at', '<', to)
  if (before) {
    query = query.where((eb) =>
      eb.or([eb('at', '<', before.at), eb.and([eb('at', '=', before.at), eb('audit_entries.id', '<', before.id)])]),
    )
  }
  const rows = await query.orderBy('at', 'desc').orderBy('audit_entries.id', 'desc').limit(limit).execute()
  return rows.map(({ detail, name, start, ...row }) => ({
    ...row,
    key: name === null || start === null ? undefined : { name, start },
    detail: JSON.parse(detail) as Activity['detail'],
  }))
}
