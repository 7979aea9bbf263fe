import { hashApiKey, randomId } from '../../../kernel/api-key.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import type { Mailer } from '../../../kernel/ports.ts'
import { badSignInCode, badSignInLink, tooManyCodes, tooManyLinks, tooManyRecipients } from '../errors.ts'
import { joinByLink } from '../people/invitation-mail.ts'
import { type Place, letIn } from '../people/membership.ts'
import { type Required, isMailOpen } from '../passkeys/policy.ts'
import { giveBackFree, takeFree } from '../free-uses-store.ts'
import { insertSignInLink, markLinkUsed } from '../store.ts'
import { countAsking } from './count-asking.ts'
import { mailIfTaken } from './mail-if-taken.ts'

const HOUR = 3_600_000
/** Links are valid as long as they count towards the limit, so an address at its limit has working links in its mailbox. */
const LINK_MILLISECONDS = HOUR
const LINKS_PER_HOUR_MAX = 5
/** One less than an address may get, so that another caller can still request a link for it. */
const LINKS_OF_A_CALLER_MAX = 4
/** To different addresses: enough for an office behind one network address, too few to mail a list of strangers. */
const LINKS_TO_ALL_MAX = 100
const TOKEN_LENGTH = 40
const CODE_MILLISECONDS = 10 * 60_000
const WRONG_CODES_A_DAY = 10

/** Payload of the job that mails a link. It has no token, which is generated when the mail is sent. */
export interface AskedLink {
  mailId: string
  recipient: string
  baseUrl: string
  /** Missing in jobs queued by a gateway of 0.2. */
  askedAt?: number
  /** Hash of the secret of the page that asked: the digits in the mail work there alone. */
  page?: string
}

export const MAIL_SIGN_IN = 'accounts.mail-sign-in'

interface AskedSignIn {
  email: string
  /** The caller's network address. */
  ip: string
  baseUrl: string
  /** The secret of the page that asks. */
  pageSecret?: string
  idempotency?: Idempotency | undefined
}

/**
 * Requests a mail with a one-time sign-in link.
 * The answer is the same whether or not an account exists, so that a caller cannot find out which addresses have one.
 */
export async function requestSignIn(
  ctx: StoreCtx,
  { email, ip, baseUrl, pageSecret, idempotency }: AskedSignIn,
): Promise<void> {
  if (idempotency?.made) return
  const address = email.toLowerCase()
  await inTx(ctx, async (tx) => {
    const limits = { within: HOUR, refuse: tooManyLinks }
    await countAsking(tx, { who: `caller ${ip} ${address}`, places: LINKS_OF_A_CALLER_MAX, ...limits })
    await countAsking(tx, { who: address, places: LINKS_PER_HOUR_MAX, ...limits })
    const sent = { caller: `ip:${ip}`, meter: 'sign-in-mail', now: tx.clock.now() }
    const use = await takeFree(tx.db, sent, { max: LINKS_TO_ALL_MAX, windowMilliseconds: HOUR })
    if ('freeAt' in use) throw tooManyRecipients(LINKS_TO_ALL_MAX, Math.ceil((use.freeAt - sent.now) / 1000))
    const asked = { mailId: tx.ids.next('mail'), recipient: email, baseUrl, askedAt: tx.clock.now() }
    const payload: AskedLink = { ...asked, ...(pageSecret !== undefined && { page: hashApiKey(pageSecret) }) }
    await enqueue(tx, { kind: MAIL_SIGN_IN, payload })
    await idempotency?.record(tx.db, { mailId: payload.mailId })
  })
}

/**
 * Makes a link and mails it. The store has only the token's hash, so a reader of the store cannot sign in. A repetition after a failure makes
 * another link, and one that did arrive keeps working. Where mail cannot sign in, the mail says what can, so only its reader learns that.
 */
export async function mailSignIn(
  ctx: StoreCtx,
  mailer: Mailer,
  { mailId, recipient, baseUrl, askedAt, page }: AskedLink,
  required: Required = 'none',
): Promise<void> {
  const { db, clock, random } = ctx
  const token = randomId(random, TOKEN_LENGTH)
  const createdAt = clock.now()
  if (isStale(askedAt, createdAt)) return
  // Lowered only for the look-up: lowering letters beyond ASCII may give another address, and the mail must go to the one it signs in.
  const email = recipient.toLowerCase()
  if (!(await isMailOpen(ctx, email, required))) {
    const text = sayPasskey(email, baseUrl)
    return mailIfTaken(mailer, { id: mailId, recipient: email, subject: 'Sign in to nano-gateway', text })
  }
  const link = { tokenHash: hashApiKey(token), email, createdAt }
  await insertSignInLink(db, { ...link, expiresAt: createdAt + LINK_MILLISECONDS })
  const code = page === undefined ? undefined : await insertCode(ctx, { page, email })
  const text = [
    ...(code === undefined
      ? []
      : [`Your code: ${code}`, '', 'Enter it in the browser that asked for it, within ten minutes.', '']),
    code === undefined
      ? 'Open this link to sign in. It works once, for one hour:'
      : 'Or open this link to sign in. It works once, for one hour:',
    '',
    `${baseUrl}/dashboard/sign-in#${token}`,
    '',
    'If you did not request this, you can ignore this email.',
  ].join('\n')
  await mailIfTaken(mailer, { id: mailId, recipient: email, subject: 'Sign in to nano-gateway', text })
}

/** Whether a request is so old that its mail is no longer expected. */
export const isStale = (askedAt: number | undefined, now: number) => askedAt !== undefined && now - askedAt >= HOUR

const sayPasskey = (email: string, baseUrl: string) =>
  [
    `This address signs in with a passkey: ${baseUrl}/dashboard/sign-in`,
    '',
    `Have you lost it? Use one of the recovery codes of ${email}: ${baseUrl}/dashboard/sign-in/recovery`,
    '',
    'If you did not request this, you can ignore this email.',
  ].join('\n')

/** Six digits for one page. A thief of the store can try them all, but lacks the secret of the page they work in. */
async function insertCode({ db, clock, random }: StoreCtx, { page, email }: { page: string; email: string }) {
  const number = Buffer.from(random.bytes(6)).readUIntBE(0, 6) % 1_000_000
  const code = String(number).padStart(6, '0')
  const createdAt = clock.now()
  const link = { tokenHash: placeOfCode(page, email, code), email, createdAt }
  await insertSignInLink(db, { ...link, expiresAt: createdAt + CODE_MILLISECONDS })
  return code
}

/** The key of a code among the links. No hash of a token has this form, so a code is not a token. */
const placeOfCode = (page: string, email: string, code: string) => `code:${hashApiKey(`${page} ${email} ${code}`)}`

/**
 * Exchanges six digits for the account of their address, in the page that asked for them. Few wrong ones are allowed a day, so that nobody can
 * try them all; beyond that the link in the mail still works, so that nobody can lock the owner out.
 */
export async function redeemCode(
  ctx: StoreCtx,
  { email: typed, pageSecret, code }: { email: string; pageSecret: string; code: string },
  { required = 'none' }: Redeeming = {},
): Promise<Place> {
  const email = typed.toLowerCase()
  const now = ctx.clock.now()
  const tries = { caller: `email:${hashApiKey(email)}`, meter: 'sign-in-code', now }
  const use = await takeFree(ctx.db, tries, { max: WRONG_CODES_A_DAY, windowMilliseconds: 24 * HOUR })
  if ('freeAt' in use) throw tooManyCodes(Math.ceil((use.freeAt - now) / 1000))
  const place = await letIn(ctx, {
    by: 'mail',
    mayBeGuest: true,
    async whose(tx) {
      const hash = placeOfCode(hashApiKey(pageSecret), email, code.replaceAll(/[^0-9]/g, ''))
      const found = await markLinkUsed(tx.db, hash, tx.clock.now())
      if (found === undefined || !(await isMailOpen(tx, email, required))) throw badSignInCode()
      return found
    },
  })
  await giveBackFree(ctx.db, use.taken)
  return place
}

interface Redeeming {
  mayBeGuest?: boolean
  required?: Required
}

/**
 * Exchanges a link's token for the account of its address, made at the first sign-in. Someone who is only invited signs in as a guest to
 * accept or decline, and needs no account of their own. The link of an invitation accepts it.
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
      const joined = await joinByLink(tx, token)
      if (joined !== undefined) return joined
      const email = await markLinkUsed(tx.db, hashApiKey(token), tx.clock.now())
      // The link may be older than a passkey that has replaced sign-in by mail.
      if (email === undefined || !(await isMailOpen(tx, email, required))) throw badSignInLink()
      return email
    },
  })
}
