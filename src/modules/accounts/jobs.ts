import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { mailJob } from '../../kernel/mail-job.ts'
import type { Mail, Mailer } from '../../kernel/ports.ts'
import { type Retention, inSteps } from '../../kernel/retention.ts'
import { deleteEndedReservations, deleteOldBatches } from './credits-store.ts'
import { releaseExpired } from './domain/credits.ts'
import { type AskedCode, MAIL_PROOF, mailProof } from './domain/prove.ts'
import { type AskedLink, MAIL_SIGN_IN, mailSignIn } from './domain/sign-in.ts'
import { mailInvitation } from './people/invitation-mail.ts'
import { type AskedInvitation, MAIL_INVITATION } from './people/mails.ts'
import { deleteEndedUses } from './free-uses-store.ts'
import { deleteExpiredAnswers } from './idempotency-store.ts'
import { deleteOldChallenges } from './passkeys/store.ts'
import type { Required } from './passkeys/policy.ts'
import { deleteOldRequests } from './requests/store.ts'
import { deleteOldEndedSessions, deleteOldSecrets } from './sessions-store.ts'
import { dayOf } from './domain/spending.ts'
import { deleteOldSpends } from './spends-store.ts'
import { deleteOldLinks } from './store.ts'

const BATCH_MAX = 500
const DAY = 86_400_000
const HOUR = 3_600_000
/** Used and expired links are kept for a day, for support questions. */
const LINKS_KEPT = 24 * HOUR
/** Longer than any session signed with a secret. */
const SECRETS_KEPT = 72 * HOUR
/** Longer than any reservation stays open. */
const SPENDS_KEPT = 8 * DAY

/** Sends one mail. Its id is its message id, so that mailboxes recognise a mail sent twice after a crash. */
export const sendMail = (mailer: Mailer): Job<Mail> => mailJob('mail.send', (mail) => mailer.send(mail))

/** Releases the reservations of processes that died. */
export const releaseReservations = (ctx: StoreCtx): Job => ({
  kind: 'credits.release-expired',
  money: true,
  everyMilliseconds: 60_000,
  run: () => releaseExpired(ctx, BATCH_MAX),
})

export const mailSignInLink = (ctx: StoreCtx, mailer: Mailer, required?: Required): Job<AskedLink> =>
  mailJob(MAIL_SIGN_IN, (asked) => mailSignIn(ctx, mailer, asked, required))

export const mailInvitations = (ctx: StoreCtx, mailer: Mailer): Job<AskedInvitation> =>
  mailJob(MAIL_INVITATION, (asked) => mailInvitation(ctx, mailer, asked))

export const mailProofCode = (ctx: StoreCtx, mailer: Mailer): Job<AskedCode> =>
  mailJob(MAIL_PROOF, (asked) => mailProof(ctx, mailer, asked))

/** Deletes expired answers of repeated requests, sign-in links and session secrets. */
export const forgetExpired = ({ db, clock }: StoreCtx, { keepRequests }: Pick<Retention, 'keepRequests'>): Job => ({
  kind: 'accounts.forget-expired',
  everyMilliseconds: HOUR,
  async run(_payload, signal) {
    const now = clock.now()
    for (const step of [
      (limit: number) => deleteExpiredAnswers(db, now, limit),
      (limit: number) => deleteEndedUses(db, now, limit),
      (limit: number) => deleteOldLinks(db, now - LINKS_KEPT, limit),
      (limit: number) => deleteOldSecrets(db, now - SECRETS_KEPT, limit),
      (limit: number) => deleteOldEndedSessions(db, now, limit),
      (limit: number) => deleteOldChallenges(db, now, limit),
      (limit: number) => deleteOldBatches(db, now - DAY, limit),
      (limit: number) => deleteEndedReservations(db, now - DAY, limit),
      (limit: number) =>
        keepRequests === undefined ? Promise.resolve(0) : deleteOldRequests(db, now - keepRequests, limit),
      (limit: number) => deleteOldSpends(db, dayOf(now - SPENDS_KEPT), limit),
    ]) {
      await inSteps(step, signal)
    }
  },
})
