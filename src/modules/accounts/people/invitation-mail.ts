import { hashApiKey, randomId } from '../../../kernel/api-key.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Mailer } from '../../../kernel/ports.ts'
import { mailIfTaken } from '../domain/mail-if-taken.ts'
import { hasPasskey } from '../passkeys/store.ts'
import { insertSignInLink, markLinkUsed } from '../store.ts'
import { acceptIn } from './invitation.ts'
import { type AskedInvitation, labelOf } from './mails.ts'
import { findMember, listMembershipsOf } from './members-store.ts'

/*
 * An invitation is one mail. People without an account here join directly by its link, once, until the invitation
 * expires. For everybody else such a link would open more than the invitation, so it leads to the page on which they
 * accept.
 */

const SECRET_LENGTH = 40

export async function mailInvitation(ctx: StoreCtx, mailer: Mailer, asked: AskedInvitation): Promise<void> {
  const { mailId, accountId, memberId, baseUrl } = asked
  const { db, clock, random } = ctx
  const now = clock.now()
  const member = await findMember(db, { accountId, id: memberId })
  // It was withdrawn or replaced, or it expired, before the mail was sent.
  if (!member || member.joinedAt !== null || (member.expiresAt ?? 0) <= now) return
  const { email, role, expiresAt } = member
  const isNew = await isNewcomer(ctx, email)
  const secret = randomId(random, SECRET_LENGTH)
  if (isNew) {
    const link = { tokenHash: placeOf(memberId, secret), email, createdAt: now }
    await insertSignInLink(db, { ...link, expiresAt: expiresAt! })
  }
  const text = [
    `“${await labelOf(ctx, accountId)}” invites you to its account at ${new URL(baseUrl).host}, as ${role}.`,
    '',
    isNew
      ? 'Open this link to join. It works once, for seven days:'
      : 'Accept or decline on this page, for seven days:',
    '',
    isNew ? `${baseUrl}/dashboard/sign-in#${memberId}_${secret}` : `${baseUrl}/dashboard/accounts/${memberId}`,
    '',
    isNew
      ? 'Keep the link to yourself: whoever opens it joins as you.'
      : `Sign in there as ${email}, where you are not signed in already.`,
    'If you do not know who this is, ignore this email: nothing happens unless you accept.',
  ]
  await mailIfTaken(mailer, { id: mailId, recipient: email, subject: 'You are invited', text: text.join('\n') })
}

/** Whether an address has no account and no membership yet. */
const isNewcomer = async ({ db, clock }: StoreCtx, email: string) =>
  !(await hasPasskey(db, email)) &&
  (await listMembershipsOf(db, email, clock.now())).every(({ joinedAt }) => joinedAt === null)

/** Its key among the links. No hash of a token has this form. */
const placeOf = (memberId: string, secret: string) => `invited:${memberId}:${hashApiKey(secret)}`

/**
 * Accepts the invitation that a token belongs to, in the transaction that uses up the token. Undefined for other
 * tokens, and if the invitation has ended.
 */
export async function joinByLink(tx: StoreCtx, token: string): Promise<string | undefined> {
  const [, memberId, secret] = /^(mem_\w+)_(\w{40})$/.exec(token) ?? []
  if (memberId === undefined) return undefined
  const email = await markLinkUsed(tx.db, placeOf(memberId, secret!), tx.clock.now())
  // The address may have got an account since then, which this link must not open.
  if (email === undefined || !(await isNewcomer(tx, email))) return undefined
  await acceptIn(tx, { email, id: memberId })
  return email
}
