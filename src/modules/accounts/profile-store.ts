import type { Db } from '../../kernel/db.ts'
import type { ShopLook } from '../../kernel/page.ts'
import type { SizedPicture } from '../../kernel/ports.ts'
import { rowsOf } from '../../kernel/resource/records.ts'
import { type Profile, accountProfile } from './account-profile.ts'

const { toRecord, toRow } = rowsOf(accountProfile)
const NO_TEXTS = { name: null, website: null, supportEmail: null, supportUrl: null, termsUrl: null, accent: null }
const NO_CHOICES = { currency: null, timeZone: null, payoutAddress: null }
export const NO_PROFILE = { ...NO_TEXTS, ...NO_CHOICES, logoUrl: null, logoId: null, updatedAt: 0 }

export async function findProfile(db: Db, accountId: string): Promise<Profile> {
  const row = await db.selectFrom('account_profiles').selectAll().where('account_id', '=', accountId).executeTakeFirst()
  return row ? toRecord(row) : { ...NO_PROFILE, accountId }
}

export async function saveProfile(db: Db, profile: Profile): Promise<void> {
  const row = toRow(profile)
  await db
    .insertInto('account_profiles')
    .values(row)
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
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
  const profile = await findProfile(db, accountId)
  await saveProfile(db, { ...profile, payoutAddress: address, updatedAt: profile.updatedAt || now })
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
