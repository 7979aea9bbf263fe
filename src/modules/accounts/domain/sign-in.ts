import { hashApiKey, randomId } from '../../../kernel/api-key.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import type { Mailer } from '../../../kernel/ports.ts'
import { badSignInLink, tooManyLinks } from '../errors.ts'
import { type Place, placeFor } from '../people/membership.ts'
import { insertAudit, insertSignInLink, markLinkUsed } from '../store.ts'
import { countAsking } from './count-asking.ts'

const LINK_MILLISECONDS = 30 * 60_000
const HOUR = 3_600_000
const LINKS_PER_HOUR_MAX = 5
const TOKEN_LENGTH = 40

/** The queue's word for a link that a person waits for. It carries no token: that is made when the mail is. */
export interface AskedLink {
  mailId: string
  recipient: string
  baseUrl: string
}

export const MAIL_SIGN_IN = 'accounts.mail-sign-in'

/**
 * Asks for a mail with a link that signs in once. A stranger who merely knows an address learns nothing: the answer is the
 * same whether an account exists or not.
 */
export async function requestSignIn(
  ctx: StoreCtx,
  { email, baseUrl, idempotency }: { email: string; baseUrl: string; idempotency?: Idempotency | undefined },
): Promise<void> {
  if (idempotency?.made) return
  const address = email.toLowerCase()
  await inTx(ctx, async (tx) => {
    await countAsking(tx, { who: address, places: LINKS_PER_HOUR_MAX, within: HOUR, refuse: tooManyLinks })
    const payload: AskedLink = { mailId: tx.ids.next('mail'), recipient: email, baseUrl }
    await enqueue(tx, { kind: MAIL_SIGN_IN, payload })
    await idempotency?.record(tx.db, { mailId: payload.mailId })
  })
}

/**
 * Makes a link and mails it. The store keeps the token's hash, so that a reader of it cannot sign in. When it runs
 * again after a failure there is another link; one that did arrive keeps working.
 */
export async function mailSignIn(
  { db, clock, random }: StoreCtx,
  mailer: Mailer,
  { mailId, recipient, baseUrl }: AskedLink,
): Promise<void> {
  const token = randomId(random, TOKEN_LENGTH)
  const createdAt = clock.now()
  // Mailed to the very address it signs in: letters beyond ASCII may become those of another address when they are small.
  const email = recipient.toLowerCase()
  const link = { tokenHash: hashApiKey(token), email, createdAt }
  await insertSignInLink(db, { ...link, expiresAt: createdAt + LINK_MILLISECONDS })
  const text = [
    'Open this link to sign in. It works once, for 30 minutes:',
    '',
    `${baseUrl}/dashboard/sign-in#${token}`,
    '',
    'If you did not ask for it, ignore this mail: without the link nothing happens.',
  ].join('\n')
  await mailer.send({ id: mailId, recipient: email, subject: 'Sign in to nano-gateway', text })
}

/**
 * Turns a link's token into the place of its address, which is made at the first sign-in. As a guest somebody who is invited, and
 * nowhere else, comes in to say yes or no, and needs no account of their own.
 */
export async function redeemSignIn(ctx: StoreCtx, token: string, mayBeGuest = false): Promise<Place> {
  try {
    return await redeem(ctx, token, mayBeGuest)
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    // Another link of the same address made the account a moment ago; this one was not used up by that.
    return redeem(ctx, token, mayBeGuest)
  }
}

function redeem(ctx: StoreCtx, token: string, mayBeGuest: boolean): Promise<Place> {
  return inTx(ctx, async (tx) => {
    const email = await markLinkUsed(tx.db, hashApiKey(token), tx.clock.now())
    if (email === undefined) throw badSignInLink()
    const place = await placeFor(tx, email, mayBeGuest)
    await noteSignIn(tx, place, 'mail')
    return place
  })
}

/** Call it in the transaction that lets somebody in. */
async function noteSignIn(tx: StoreCtx, { member }: Place, by: 'mail' | 'passkey'): Promise<void> {
  const { id: actor, accountId, joinedAt } = member
  // What happens in an account is no business of who was merely invited, nor the other way round.
  if (joinedAt === null) return
  await insertAudit(tx, { actor, accountId, what: 'account.signed-in', detail: { by } })
}
