import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import type { Job } from '../../kernel/job.ts'
import type { Clock, Mailer } from '../../kernel/ports.ts'
import { type Retention, deleteSome, inSteps } from '../../kernel/retention.ts'

const HOUR = 3_600_000

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

export const forgetMails = (
  { db, clock }: { db: Db; clock: Clock },
  { keepMails }: Pick<Retention, 'keepMails'>,
): Job => ({
  kind: 'mail.forget',
  everyMilliseconds: HOUR,
  async run(_payload, signal) {
    if (keepMails === undefined) return
    const before = clock.now() - keepMails
    const where = sql<boolean>`created_at < ${before}`
    await inSteps((limit) => deleteSome(db, { from: 'mails', key: ['id'], where, limit }), signal)
  },
})

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
