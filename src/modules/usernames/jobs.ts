import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { mailJob } from '../../kernel/mail-job.ts'
import type { Mailer } from '../../kernel/ports.ts'
import { type AskedNotice, MAIL_NOTICE, mailNotice, remindOwners } from './domain/remind.ts'

/** Looks for owners who do not know yet how their leases end. */
export const remindOfEnds = (ctx: StoreCtx): Job => ({
  kind: 'usernames.remind',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: 15 * 60_000,
  run: () => remindOwners(ctx),
})

/** Mails one of them. */
export const mailOwners = (ctx: StoreCtx, mailer: Mailer, baseUrl: () => string): Job<AskedNotice> =>
  mailJob(MAIL_NOTICE, (asked) => mailNotice(ctx, mailer, asked, baseUrl()))
