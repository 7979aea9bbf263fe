import { hashApiKey, randomId } from '../../../kernel/api-key.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import { MailRefused } from '../../../kernel/mail-job.ts'
import type { Mail, Mailer } from '../../../kernel/ports.ts'
import { badSignInLink, tooManyLinks } from '../errors.ts'
import { type Place, letIn } from '../people/membership.ts'
import { type Required, isMailOpen } from '../passkeys/policy.ts'
import { insertSignInLink, markLinkUsed } from '../store.ts'
import { countAsking } from './count-asking.ts'

const HOUR = 3_600_000
/** As long as its place is taken: while an address has no place left, the links in its mailbox work. */
const LINK_MILLISECONDS = HOUR
const LINKS_PER_HOUR_MAX = 5
/** One place stays free for other callers. */
const LINKS_OF_A_CALLER_MAX = 4
const TOKEN_LENGTH = 40

/** The queue's word for a link that a person waits for. It carries no token: that is made when the mail is. */
export interface AskedLink {
  mailId: string
  recipient: string
  baseUrl: string
  /** Unset by a gateway of 0.2. */
  askedAt?: number
}

export const MAIL_SIGN_IN = 'accounts.mail-sign-in'

interface AskedSignIn {
  email: string
  /** The caller's network address. */
  ip: string
  baseUrl: string
  idempotency?: Idempotency | undefined
}

/**
 * Asks for a mail with a link that signs in once. A stranger who merely knows an address learns nothing: the answer is the
 * same whether an account exists or not.
 */
export async function requestSignIn(ctx: StoreCtx, { email, ip, baseUrl, idempotency }: AskedSignIn): Promise<void> {
  if (idempotency?.made) return
  const address = email.toLowerCase()
  await inTx(ctx, async (tx) => {
    const limits = { within: HOUR, refuse: tooManyLinks }
    await countAsking(tx, { who: `caller ${ip} ${address}`, places: LINKS_OF_A_CALLER_MAX, ...limits })
    await countAsking(tx, { who: address, places: LINKS_PER_HOUR_MAX, ...limits })
    const payload: AskedLink = { mailId: tx.ids.next('mail'), recipient: email, baseUrl, askedAt: tx.clock.now() }
    await enqueue(tx, { kind: MAIL_SIGN_IN, payload })
    await idempotency?.record(tx.db, { mailId: payload.mailId })
  })
}

/**
 * Makes a link and mails it. The store keeps the token's hash, so that a reader of it cannot sign in. When it runs
 * again after a failure there is another link; one that did arrive keeps working. Where a mail opens nothing, it says what does: only
 * who reads it learns that.
 */
export async function mailSignIn(
  ctx: StoreCtx,
  mailer: Mailer,
  { mailId, recipient, baseUrl, askedAt }: AskedLink,
  required: Required = 'none',
): Promise<void> {
  const { db, clock, random } = ctx
  const token = randomId(random, TOKEN_LENGTH)
  const createdAt = clock.now()
  if (isStale(askedAt, createdAt)) return
  // Mailed to the very address it signs in: letters beyond ASCII may become those of another address when they are small.
  const email = recipient.toLowerCase()
  if (!(await isMailOpen(ctx, email, required))) {
    const text = sayPasskey(email, baseUrl)
    return mailIfTaken(mailer, { id: mailId, recipient: email, subject: 'Sign in to nano-gateway', text })
  }
  const link = { tokenHash: hashApiKey(token), email, createdAt }
  await insertSignInLink(db, { ...link, expiresAt: createdAt + LINK_MILLISECONDS })
  const text = [
    'Open this link to sign in. It works once, for one hour:',
    '',
    `${baseUrl}/dashboard/sign-in#${token}`,
    '',
    'If you did not request this, you can ignore this email.',
  ].join('\n')
  await mailIfTaken(mailer, { id: mailId, recipient: email, subject: 'Sign in to nano-gateway', text })
}

/** Nobody waits any longer for what they asked for so long ago. */
export const isStale = (askedAt: number | undefined, now: number) => askedAt !== undefined && now - askedAt >= HOUR

/** A caller may name any address: one that is no mailbox is no failure of ours. */
export async function mailIfTaken(mailer: Mailer, mail: Mail): Promise<void> {
  try {
    await mailer.send(mail)
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error
  }
}

const sayPasskey = (email: string, baseUrl: string) =>
  [
    `This address signs in with a passkey: ${baseUrl}/dashboard/sign-in`,
    '',
    `Have you lost it? Use one of the recovery codes of ${email}: ${baseUrl}/dashboard/sign-in/recovery`,
    '',
    'If you did not request this, you can ignore this email.',
  ].join('\n')

interface Redeeming {
  mayBeGuest?: boolean
  required?: Required
}

/**
 * Turns a link's token into the place of its address, which is made at the first sign-in. As a guest somebody who is invited, and
 * nowhere else, comes in to say yes or no, and needs no account of their own.
 */
export function redeemSignIn(
  ctx: StoreCtx,
  token: string,
  { mayBeGuest = false, required = 'none' }: Redeeming = {},
): Promise<Place> {
  return letIn(ctx, {
    by: 'mail',
    mayBeGuest,
    async whose(tx) {
      const email = await markLinkUsed(tx.db, hashApiKey(token), tx.clock.now())
      // A link may be older than the passkey that took its place.
      if (email === undefined || !(await isMailOpen(tx, email, required))) throw badSignInLink()
      return email
    },
  })
}
