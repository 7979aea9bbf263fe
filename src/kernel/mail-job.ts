import type { Job } from './job.ts'

const DAY = 86_400_000

/** The queue's words for all mail: who asks whether mail gets through asks for each of them. */
export const MAIL_KINDS = [
  'mail.send',
  'accounts.mail-sign-in',
  'accounts.mail-proof',
  'checkout.notify',
  'links.mail-subscription',
  'usernames.mail-notice',
  'email.invite',
  'email.tell',
] as const

/** A job that sends one mail. A mail server may be away for a whole weekend, so that every mail is retried for three days. */
export const mailJob = <P>(kind: (typeof MAIL_KINDS)[number], run: (asked: P) => Promise<void>): Job<P> => ({
  kind,
  retryMilliseconds: 3 * DAY,
  attemptsMax: 1,
  concurrencyMax: 4,
  leaseMilliseconds: 60_000,
  run,
})

/** The mail server will never take mail for this recipient. Every other failure may pass. */
export class MailRefused extends Error {}
