import { type RecordIn, type RowIn, columns, named, plain, raw } from '../../kernel/resource/columns.ts'
import type { Db } from '../../kernel/db.ts'

const RECIPIENT = columns({
  id: plain<string>(),
  paymentId: plain<string>(),
  position: plain<number>(),
  /** Encrypted; null once it was deleted. */
  email: plain<string | null>(),
  /** Keyed hash, by which mails to one address are counted. */
  emailHash: plain<string | null>(),
  amount: named('amount_raw', raw()),
  status: plain<'queued' | 'sent' | 'claimed' | 'refunded'>(),
  claimAddress: plain<string | null>(),
  sentAt: plain<number | null>(),
  /** When the mail server refused the mail for good. */
  bouncedAt: plain<number | null>(),
  endedAt: plain<number | null>(),
})

export type Recipient = RecordIn<typeof RECIPIENT>
export type EmailRecipientsTable = RowIn<typeof RECIPIENT>
const toRecipient = RECIPIENT.toRecord

/** The statuses of shares that are neither claimed nor declined. */
const OPEN = ['queued', 'sent'] as const

export async function insertRecipient(
  db: Db,
  recipient: Pick<Recipient, 'id' | 'paymentId' | 'position' | 'email' | 'emailHash' | 'amount'>,
): Promise<void> {
  await db
    .insertInto('email_recipients')
    .values(
      RECIPIENT.toRow({
        ...recipient,
        status: 'queued',
        claimAddress: null,
        sentAt: null,
        bouncedAt: null,
        endedAt: null,
      }),
    )
    .execute()
}

export async function findRecipient(db: Db, id: string): Promise<Recipient | undefined> {
  const row = await db.selectFrom('email_recipients').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRecipient(row)
}

/** Bounded by the maximum of recipients of a payment. */
export async function listRecipients(db: Db, paymentId: string): Promise<Recipient[]> {
  const rows = await db
    .selectFrom('email_recipients')
    .selectAll()
    .where('payment_id', '=', paymentId)
    .orderBy('position')
    .execute()
  return rows.map(toRecipient)
}

/** Changes a queued share to `sent`; false when it was claimed meanwhile, or its time is over. */
export async function markSent(db: Db, id: string, now: number): Promise<boolean> {
  const won = await db
    .updateTable('email_recipients')
    .set({ status: 'sent', sent_at: now })
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .returning('id')
    .executeTakeFirst()
  return won !== undefined
}

/** Records that the mail cannot be delivered; true for the first caller. The share stays open. */
export async function markBounced(db: Db, id: string, now: number): Promise<boolean> {
  const won = await db
    .updateTable('email_recipients')
    .set({ bounced_at: now })
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .where('bounced_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return won !== undefined
}

/** Changes an open share to `claimed`, in one statement: of two browsers one succeeds. Also works when a sent mail was not recorded as sent. */
export async function markClaimed(db: Db, id: string, address: string, now: number): Promise<boolean> {
  const won = await db
    .updateTable('email_recipients')
    .set({ status: 'claimed', claim_address: address, ended_at: now })
    .where('id', '=', id)
    .where('status', 'in', OPEN)
    .returning('id')
    .executeTakeFirst()
  return won !== undefined
}

/** Changes an open share that its recipient declined to `refunded`. */
export async function markDeclined(db: Db, id: string, now: number): Promise<boolean> {
  const won = await db
    .updateTable('email_recipients')
    .set({ status: 'refunded', ended_at: now })
    .where('id', '=', id)
    .where('status', 'in', OPEN)
    .returning('id')
    .executeTakeFirst()
  return won !== undefined
}

/** Marks every open share of a payment as refunded. */
export async function refundOpen(db: Db, paymentId: string, now: number): Promise<void> {
  await db
    .updateTable('email_recipients')
    .set({ status: 'refunded', ended_at: now })
    .where('payment_id', '=', paymentId)
    .where('status', 'in', OPEN)
    .execute()
}

export interface TokenHash {
  selector: string
  verifier: string
}

export async function insertToken(
  db: Db,
  { selector, verifier }: TokenHash,
  { recipientId, now }: { recipientId: string; now: number },
): Promise<void> {
  await db
    .insertInto('email_tokens')
    .values({ selector, verifier, recipient_id: recipientId, created_at: now })
    .execute()
}

export async function findToken(
  db: Db,
  selector: string,
): Promise<{ verifier: string; recipientId: string } | undefined> {
  const row = await db
    .selectFrom('email_tokens')
    .select(['verifier', 'recipient_id'])
    .where('selector', '=', selector)
    .executeTakeFirst()
  return row && { verifier: row.verifier, recipientId: row.recipient_id }
}

/** Whether a mail to a recipient was started before. */
export async function hasToken(db: Db, recipientId: string): Promise<boolean> {
  const row = await db
    .selectFrom('email_tokens')
    .select('selector')
    .where('recipient_id', '=', recipientId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function insertSuppression(db: Db, emailHash: string, now: number): Promise<void> {
  await db
    .insertInto('email_suppressions')
    .values({ email_hash: emailHash, created_at: now })
    .onConflict((conflict) => conflict.column('email_hash').doNothing())
    .execute()
}

/** Returns which of these addresses want no mail. */
export async function listSuppressed(db: Db, hashes: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('email_suppressions')
    .select('email_hash')
    .where('email_hash', 'in', hashes)
    .execute()
  return new Set(rows.map((row) => row.email_hash))
}

/** Deletes a payment's recipients, and the tokens of their shares. */
export async function forgetRecipients(db: Db, paymentId: string): Promise<void> {
  await db
    .deleteFrom('email_tokens')
    .where('recipient_id', 'in', (query) =>
      query.selectFrom('email_recipients').select('id').where('payment_id', '=', paymentId),
    )
    .execute()
  await db
    .updateTable('email_recipients')
    .set({ email: null, email_hash: null })
    .where('payment_id', '=', paymentId)
    .execute()
}
