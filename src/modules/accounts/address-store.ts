import type { Db } from '../../kernel/db.ts'

/** The address that an account is known by, and gets its mail at. */
export async function updateAddress(db: Db, accountId: string, email: string | null): Promise<void> {
  await db.updateTable('accounts').set({ email }).where('id', '=', accountId).execute()
}
