import { hashApiKey, randomId } from '../../../kernel/api-key.ts'
import type { Caller } from '../../../kernel/ctx.ts'
import { AppError } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import { requireEveryScope } from '../../../kernel/rights.ts'
import type { KeyLookup, Mailer } from '../../../kernel/ports.ts'
import type { AccountCaller, ProvedBy } from '../../../kernel/route.ts'
import { mailIsClosed, tooManyProofs, wrongProof } from '../errors.ts'
import { useCode } from '../passkeys/recovery-codes.ts'
import { type Required, isMailOpen } from '../passkeys/policy.ts'
import { insertAudit, insertSignInLink, markLinkUsed } from '../store.ts'
import { countAsking } from './count-asking.ts'
import { identify } from './sessions.ts'
import { mailIfTaken } from './mail-if-taken.ts'
import { isStale } from './sign-in.ts'

const HOUR = 3_600_000
const CODE_MILLISECONDS = 10 * 60_000
const CODE_LENGTH = 10
const MAILS_AN_HOUR = 5
const TRIES_AN_HOUR = 10

export const MAIL_PROOF = 'accounts.mail-proof'

/** Payload of the job that mails a code. It has no code, which is generated when the mail is sent. */
export interface AskedCode {
  mailId: string
  email: string
  sessionId: string
  /** Missing in jobs queued by a gateway of 0.2. */
  askedAt?: number
}

/**
 * The key of a code in the table of sign-in links. It signs nobody in, because no token hash has this form, and it is
 * valid for one session only.
 */
const placeOf = (sessionId: string, code: string) => `proof:${hashApiKey(`${sessionId} ${code}`)}`

/** Mails a code with which the user confirms their identity. */
export async function requestProof(
  ctx: StoreCtx,
  { session }: AccountCaller,
  required: Required = 'none',
): Promise<void> {
  const member = session?.member
  if (!member) throw new AppError('conflict', 'You signed in with a key. Enter it again.')
  if (!(await isMailOpen(ctx, member.email, required))) throw mailIsClosed()
  await inTx(ctx, async (tx) => {
    await countAsking(tx, { who: `proof ${member.email}`, places: MAILS_AN_HOUR, within: HOUR, refuse: tooManyProofs })
    const asked = { mailId: tx.ids.next('mail'), email: member.email, sessionId: session.id }
    const payload: AskedCode = { ...asked, askedAt: tx.clock.now() }
    await enqueue(tx, { kind: MAIL_PROOF, payload })
  })
}

export async function mailProof({ db, clock, random }: StoreCtx, mailer: Mailer, asked: AskedCode): Promise<void> {
  const { mailId, email, sessionId } = asked
  if (isStale(asked.askedAt, clock.now())) return
  const code = randomId(random, CODE_LENGTH)
  const createdAt = clock.now()
  const tokenHash = placeOf(sessionId, code)
  await insertSignInLink(db, { tokenHash, email, createdAt, expiresAt: createdAt + CODE_MILLISECONDS })
  const text = [
    `Your code: ${code}`,
    '',
    'Enter it in the browser that asked for it. It works once, for 10 minutes.',
    'If you did not request it, someone else may be signed in as you. Sign in and remove any passkeys, keys or people you do not know.',
  ].join('\n')
  await mailIfTaken(mailer, { id: mailId, recipient: email, subject: 'Your code for nano-gateway', text })
}

interface Proof {
  /** The code from the mail, for a person. */
  code: string
  /** A secret key of the account, for a user who signed in with a key. */
  key: string
  /** A recovery code, for a person who has lost every passkey. */
  recovery?: string | undefined
}

/** Accepts a proof of identity or refuses it; attempts are limited. */
export async function takeProof(
  ctx: StoreCtx,
  keys: KeyLookup,
  caller: AccountCaller,
  { required = 'none', ...proof }: Proof & { required?: Required },
): Promise<ProvedBy> {
  const { accountId, session, actor } = caller
  await countAsking(ctx, { who: `proving ${session!.id}`, places: TRIES_AN_HOUR, within: HOUR, refuse: tooManyProofs })
  const by = !session!.member ? 'key' : proof.recovery ? 'recovery code' : 'mail'
  if (by === 'key') await requireKey(keys, accountId, proof.key)
  await inTx(ctx, async (tx) => {
    if (by === 'mail') {
      const email = await markLinkUsed(tx.db, placeOf(session!.id, proof.code), tx.clock.now())
      if (email === undefined || email !== session!.member!.email) throw wrongProof('code')
      if (!(await isMailOpen(tx, email, required))) throw mailIsClosed()
    }
    if (by === 'recovery code') await useCode(tx, session!.member!.email, proof.recovery!)
    await insertAudit(tx, { actor, accountId, what: 'account.proved', detail: { by } })
  })
  return by
}

/** The key must be one that could sign in to this account. */
async function requireKey(keys: KeyLookup, accountId: string, key: string): Promise<void> {
  let caller: Caller
  try {
    caller = await identify(keys, key || undefined, undefined)
  } catch (error) {
    if (error instanceof AppError && error.status < 500) throw wrongProof('key')
    throw error
  }
  if (caller.kind !== 'account' || caller.accountId !== accountId) throw wrongProof('key')
  requireEveryScope(caller)
}
