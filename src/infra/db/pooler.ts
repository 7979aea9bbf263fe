import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { PostgresHosts } from './postgres-hosts.ts'

/** A notice arrives within this time or never. */
const NOTICE_MAX = 2_000

/**
 * Refuses a pooler that gives each transaction another connection, unless the store's address also names the server
 * itself. Through such a pooler, notices between gateways get lost and named statements are unknown. A pooler is
 * recognised by the way it numbers connections.
 */
export async function requireSessions(hosts: PostgresHosts, client: pg.PoolClient): Promise<void> {
  const { processID } = client as unknown as { processID: number }
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  if (hosts.direct !== undefined || rows[0]?.pid === processID || (await receivesOwnNotice(hosts.url))) return
  throw new Error(
    'DATABASE_URL leads to a pooler that gives each transaction another connection, through which notices between gateways do not pass. Add the server itself, as in postgres://user@pooler:6432/name?direct=server:5432.',
  )
}

async function receivesOwnNotice(url: string): Promise<boolean> {
  const [listener, sender] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
  const channel = `probe_${randomUUID().replaceAll('-', '')}`
  const { promise, resolve } = Promise.withResolvers<boolean>()
  listener.on('notification', () => resolve(true))
  const late = setTimeout(() => resolve(false), NOTICE_MAX)
  try {
    await Promise.all([listener.connect(), sender.connect()])
    await listener.query(`listen ${channel}`)
    await sender.query(`notify ${channel}`)
    return await promise
  } finally {
    clearTimeout(late)
    await Promise.all([listener.end(), sender.end()])
  }
}
