import type { Clock, Mailer } from '../../kernel/ports.ts'
import type { Db } from '../../kernel/db.ts'

/** Keeps mail in the store instead of sending it, so that a laptop needs no mail server. */
export function capturedMailer(db: Db, clock: Clock): Mailer {
  return {
    async send({ id, recipient, subject, text }) {
      await db
        .insertInto('mails')
        .values({ id, recipient, subject, text, status: 'captured', created_at: clock.now(), sent_at: null })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute()
    },
  }
}

export interface CapturedMail {
  id: string
  recipient: string
  subject: string
  text: string
  createdAt: number
}

export async function listCapturedMail(db: Db, limit: number): Promise<CapturedMail[]> {
  const rows = await db.selectFrom('mails').selectAll().orderBy('created_at', 'desc').limit(limit).execute()
  return rows.map(({ id, recipient, subject, text, created_at: createdAt }) => ({
    id,
    recipient,
    subject,
    text,
    createdAt,
  }))
}
