import type { Db } from '../../kernel/db.ts'
import type { ShopLook } from '../../kernel/page.ts'
import type { SizedPicture } from '../../kernel/ports.ts'
import type { AccountProfilesTable } from './tables.ts'

/** The public profile of an account. */
export interface Profile {
  name: string | null
  /** The source of its logo, and our copy. */
  logoUrl: string | null
  logoId: string | null
  supportEmail: string | null
  supportUrl: string | null
  termsUrl: string | null
  website: string | null
  accent: string | null
  currency: string | null
  timeZone: string | null
  /** Null while the profile is empty. */
  updatedAt: number | null
}

export const NO_PROFILE: Profile = {
  name: null,
  logoUrl: null,
  logoId: null,
  supportEmail: null,
  supportUrl: null,
  termsUrl: null,
  website: null,
  accent: null,
  currency: null,
  timeZone: null,
  updatedAt: null,
}

const toProfile = (row: AccountProfilesTable): Profile => ({
  name: row.name,
  logoUrl: row.logo_url,
  logoId: row.logo_id,
  supportEmail: row.support_email,
  supportUrl: row.support_url,
  termsUrl: row.terms_url,
  website: row.website,
  accent: row.accent,
  currency: row.currency,
  timeZone: row.time_zone,
  updatedAt: row.updated_at,
})

export async function findProfile(db: Db, accountId: string): Promise<Profile> {
  const row = await db.selectFrom('account_profiles').selectAll().where('account_id', '=', accountId).executeTakeFirst()
  return row ? toProfile(row) : NO_PROFILE
}

export async function saveProfile(db: Db, accountId: string, profile: Profile & { updatedAt: number }): Promise<void> {
  const columns = {
    name: profile.name,
    logo_url: profile.logoUrl,
    logo_id: profile.logoId,
    support_email: profile.supportEmail,
    support_url: profile.supportUrl,
    terms_url: profile.termsUrl,
    website: profile.website,
    accent: profile.accent,
    currency: profile.currency,
    time_zone: profile.timeZone,
    updated_at: profile.updatedAt,
  }
  await db
    .insertInto('account_profiles')
    .values({ account_id: accountId, payout_address: null, ...columns })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(columns))
    .execute()
}

/** What pages show of the account itself. */
export async function findShop(db: Db, accountId: string): Promise<ShopLook> {
  const { name, logoId, currency, timeZone } = await findProfile(db, accountId)
  return {
    name,
    logo: logoId === null ? null : `/logos/${logoId}`,
    currency: currency ?? 'NANO',
    timeZone: timeZone ?? 'UTC',
  }
}

/** The address that is paid where a checkout, link or till names none. */
export async function findPayout(db: Db, accountId: string): Promise<string | null> {
  const row = await db
    .selectFrom('account_profiles')
    .select('payout_address')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.payout_address ?? null
}

/** Call it with the account locked. */
export async function savePayout(db: Db, accountId: string, address: string, now: number): Promise<void> {
  const { updatedAt: _, ...empty } = NO_PROFILE
  const known = await db
    .selectFrom('account_profiles')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (!known) await saveProfile(db, accountId, { ...empty, updatedAt: now })
  await db
    .updateTable('account_profiles')
    .set({ payout_address: address })
    .where('account_id', '=', accountId)
    .execute()
}

/** One logo for each account: a new one replaces the old. */
export async function saveLogo(db: Db, accountId: string, id: string, picture: SizedPicture): Promise<void> {
  const { type, width, height, bytes } = picture
  const columns = { id, type, width, height, data: Buffer.from(bytes).toString('base64') }
  await db
    .insertInto('account_logos')
    .values({ account_id: accountId, ...columns })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(columns))
    .execute()
}

export async function deleteLogo(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('account_logos').where('account_id', '=', accountId).execute()
}

export async function findLogo(db: Db, id: string): Promise<{ type: string; bytes: Uint8Array } | undefined> {
  const row = await db.selectFrom('account_logos').select(['type', 'data']).where('id', '=', id).executeTakeFirst()
  return row && { type: row.type, bytes: Buffer.from(row.data, 'base64') }
}
