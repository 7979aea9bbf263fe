import type { Job } from './job.ts'

const DAY = 86_400_000

/** The kinds of all mail jobs, for the check whether mail is delivered. */
export const MAIL_KINDS = [
  'mail.send',
  'accounts.mail-sign-in',
  'accounts.mail-proof',
  'accounts.mail-invitation',
  'checkout.notify',
  'checkout.mail-buyer',
  'links.mail-subscription',
  'usernames.mail-notice',
  'email.invite',
  'email.tell',
] as const

/** A job that sends one email. A mail server may be down for a weekend, so emails are retried for three days. */
export const mailJob = <P>(kind: (typeof MAIL_KINDS)[number], run: (asked: P) => Promise<void>): Job<P> => ({
  kind,
  retryMilliseconds: 3 * DAY,
  concurrencyMax: 4,
  run,
})

/** The mail server will never accept mail for this recipient; any other failure may be temporary. */
export class MailRefused extends Error {}
