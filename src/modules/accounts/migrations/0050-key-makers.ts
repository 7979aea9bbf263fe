import type { Kysely } from 'kysely'
import { type MemberRole, SCOPES, scopesOfRole } from '../../../kernel/rights.ts'

interface Before {
  audit_entries: { at: number; actor: string; what: string; detail: string }
  members: { id: string; account_id: string; role: MemberRole; ended_at: number | null }
  accounts: { id: string; role: 'user' | 'admin' }
  api_keys: { id: string; account_id: string; scopes: string | null; revoked_at: number | null; made_by: string | null }
}

/**
 * Stores who made a key, because the maker's role limits it from now on. For existing keys this comes from the audit log; keys without an entry stay
 * unlimited. Keys of removed members keep the rights of the member's last role, because 0.2 promised that these keys stay valid.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('made_by', 'text').execute()
  await db.schema.createIndex('api_keys_made_by').on('api_keys').column('made_by').execute()
  const old = db as Kysely<Before>
  const entries = old.selectFrom('audit_entries').select(['actor', 'detail']).where('what', '=', 'key.issued')
  const issued = new Map((await entries.execute()).map(({ actor, detail }) => [keyOf(detail), { actor, detail }]))
  const people = await old.selectFrom('members').select(['id', 'account_id', 'role', 'ended_at']).execute()
  const members = new Map(people.map((member) => [member.id, member]))
  const keys = await old
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['api_keys.id', 'api_keys.account_id', 'api_keys.scopes', 'accounts.role'])
    .where('api_keys.revoked_at', 'is', null)
    .execute()
  for (const key of keys) {
    const maker = members.get(makerOf(key.id, issued) ?? '')
    if (maker?.account_id !== key.account_id) continue
    const most = maker.ended_at === null ? undefined : scopesOfRole(maker.role, key.role === 'admin')
    const had = key.scopes === null ? SCOPES : (JSON.parse(key.scopes) as string[])
    const scopes = most ? JSON.stringify(had.filter((one) => most.some((scope) => scope === one))) : key.scopes
    const made_by = maker.ended_at === null ? maker.id : null
    await old.updateTable('api_keys').set({ scopes, made_by }).where('id', '=', key.id).execute()
  }
}

type Issued = ReadonlyMap<string, { actor: string; detail: string }>

const keyOf = (detail: string) => (JSON.parse(detail) as { keyId: string }).keyId

/** Follows the keys that made it back to the first one made by a person. */
function makerOf(id: string, issued: Issued): string | undefined {
  let at: string | undefined = id
  for (const seen = new Set<string>(); at !== undefined && !seen.has(at);) {
    seen.add(at)
    const entry = issued.get(at)
    if (!entry || entry.actor.startsWith('mem_')) return entry?.actor
    at = (JSON.parse(entry.detail) as { by?: string }).by
  }
  return undefined
}
