import type { Job } from '../../src/kernel/job.ts'
import type { Db } from '../../src/kernel/db.ts'

export const KILL_JOB = 'test.mail'

/** Stores one mail for each account, however often it runs. */
export const writeMailOf = (db: Db): Job<{ accountId: string }> => ({
  kind: KILL_JOB,
  attemptsMax: 100,
  concurrencyMax: 4,
  leaseMilliseconds: 1_000,
  async run({ accountId: id }) {
    const mail = { id, recipient: id, subject: 'Hello', text: 'Hello', status: 'captured' as const }
    await db
      .insertInto('mails')
      .values({ ...mail, created_at: 1, sent_at: null })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
  },
})
