import type { Db } from '../../kernel/db.ts'
import type { SizedPicture } from '../../kernel/ports.ts'

interface NewPicture {
  id: string
  accountId: string
  picture: SizedPicture
  now: number
}

/** Call it with the account locked. */
export async function insertPicture(db: Db, { id, accountId, picture, now }: NewPicture): Promise<void> {
  const { type, width, height, bytes } = picture
  const data = Buffer.from(bytes).toString('base64')
  await db
    .insertInto('account_pictures')
    .values({ id, account_id: accountId, type, width, height, bytes: bytes.length, data, created_at: now })
    .execute()
}

export async function findPicture(db: Db, id: string): Promise<SizedPicture | undefined> {
  const row = await db.selectFrom('account_pictures').selectAll().where('id', '=', id).executeTakeFirst()
  return row && { type: row.type, width: row.width, height: row.height, bytes: Buffer.from(row.data, 'base64') }
}

/** The size of all pictures of an account. */
export async function sumPictures(db: Db, accountId: string): Promise<number> {
  const found = db.selectFrom('account_pictures').where('account_id', '=', accountId)
  const { bytes } = await found.select(({ fn }) => fn.sum('bytes').as('bytes')).executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}
